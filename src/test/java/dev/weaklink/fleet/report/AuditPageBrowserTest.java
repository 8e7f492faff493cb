package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.AuditReports;
import dev.weaklink.testing.Browser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the page for people who read, type and click. */
@Tag("slow")
class AuditPageBrowserTest extends PageInBrowser {
    private static final String FOCUSED = "document.activeElement.getAttribute('aria-label')";

    @Test
    void givesEveryCellASignAndAText() throws IOException {
        open(SampleAudits.small());
        assertThat(shown("#extent")).isEqualTo("415 nodes · 3 module sets · 3 kernels");
        assertThat(text("[...document.querySelectorAll('#matrix tbody tr')].map(row =>"
                        + " [...row.querySelectorAll('.sign')].map(e => e.textContent).join(''))"
                        + ".join(' ')"))
                .isEqualTo("✕?✓ RL✓ LLL");
        assertThat(text("document.querySelector('#matrix tbody td.blocked').getAttribute('aria-label')"))
                .isEqualTo("lustre-client 2.15.5 on 5.14.0-570.12.1.el9_6.x86_64: Blocked, 1 module");
    }

    @Test
    void tabGoesThroughSearchFiltersAndIntoTheMatrixOnce() throws IOException {
        open(SampleAudits.small());
        browser.evaluate("document.getElementById('search').focus()");
        browser.press("Tab", "Tab", "Tab", "Tab", "Tab", "Tab");
        assertThat(text("document.activeElement.value")).isEqualTo("blocked");
        browser.evaluate("document.getElementById('order').focus()");
        browser.press("Tab");
        assertThat(text("document.activeElement.closest('[role=grid]').getAttribute('aria-label')"))
                .isEqualTo("Verdicts: module sets by kernel");
        browser.press("Tab");
        assertThat(text("String(document.activeElement.closest('[role=grid]'))"))
                .isEqualTo("null");
    }

    @Test
    void movesWithArrowsOpensWithEnterAndReturnsWithEscape() throws IOException {
        open(SampleAudits.small());
        order("given");
        browser.evaluate("document.querySelector('#matrix [tabindex=\"0\"]').focus()");
        browser.press("ArrowRight", "ArrowDown");
        assertThat(text(FOCUSED)).startsWith("lustre-client 2.15.5 on 5.14.0-570.12.1");
        browser.press("Enter");
        assertThat(browser.evaluate("document.getElementById('detail').open").asBoolean())
                .isTrue();
        assertThat(shown("#detail"))
                .contains(
                        "lustre-client 2.15.5",
                        "Blocked on 5.14.0-570.12.1.el9_6.x86_64",
                        "ko2iblnd refused (EINVAL) · 4 findings",
                        "symbol-crc ib_alloc_pd",
                        "wanted 0x1a2b3c4d, offered 0x99aabbcc",
                        "ko2iblnd: disagrees about version of symbol ib_alloc_pd",
                        "and 3 more",
                        "oss[1-2]");
        browser.press("Escape");
        assertThat(browser.evaluate("document.getElementById('detail').open").asBoolean())
                .isFalse();
        assertThat(text(FOCUSED)).startsWith("lustre-client 2.15.5 on 5.14.0-570.12.1");
        browser.press("Home");
        assertThat(text("document.activeElement.getAttribute('role')")).isEqualTo("rowheader");
        browser.press("Ctrl+End");
        assertThat(text(FOCUSED)).isEqualTo("knem on 5.14.0-503.11.1.el9_5.x86_64: Link");
        browser.press("ArrowDown", "ArrowRight");
        assertThat(text(FOCUSED)).isEqualTo("knem on 5.14.0-503.11.1.el9_5.x86_64: Link");
    }

    @Test
    void showsTheFocus() throws IOException {
        open(SampleAudits.small());
        browser.evaluate("document.querySelector('#matrix [tabindex=\"0\"]').focus()");
        browser.press("ArrowRight");
        assertThat(text("getComputedStyle(document.activeElement).outlineWidth"))
                .isEqualTo("3px");
        browser.evaluate("document.getElementById('main').focus()");
        browser.press("/");
        assertThat(text("document.activeElement.id")).isEqualTo("search");
        assertThat(text("getComputedStyle(document.activeElement).outlineStyle"))
                .isEqualTo("solid");
    }

    @Test
    void opensACellOnAClickAndClosesItOnAClickBesideIt() throws IOException {
        open(SampleAudits.small());
        browser.click("#matrix tbody td.rebuild");
        assertThat(shown("#detail")).contains("What to do", "weaklink rebuild --kernel 5.14.0-570.12.1.el9_6.x86_64");
        browser.evaluate("document.querySelector('#detail .module:nth-of-type(2)').open = false");
        browser.click("#detail .close");
        assertThat(browser.evaluate("document.getElementById('detail').open").asBoolean())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "CN017,1 module set,1",
        "cn413,0 module sets,0",
        "cn17,0 module sets,0",
        "oss,1 module set,1",
        "lustre oss2,1 module set,1",
        "ether_setup,1 module set,0",
        "mlx5_core,1 module set,0",
        "nothing of the kind,0 module sets,0"
    })
    void findsNodesProductsModulesAndSymbols(String query, String sets, String groups) throws IOException {
        open(SampleAudits.small());
        browser.click("#search");
        browser.type(query);
        assertThat(text(SETS_SHOWN)).isEqualTo(sets);
        assertThat(shown("#nav a[href=\"#groups\"] .amount")).isEqualTo(groups);
        browser.press("Escape");
        assertThat(text(SETS_SHOWN)).isEqualTo("3 module sets");
    }

    @Test
    void showsTheCauseAndTheNumberOfSetsItExplains() throws IOException {
        open(SampleAudits.small());
        assertThat(shown("#reasons thead")).contains("Cause");
        assertThat(shown("#reasons tbody"))
                .contains("net_device.reg_state became u8 (spelling only): explains 2 of 2 sets");
        browser.click("#matrix tbody td.rebuild");
        assertThat(shown("#detail")).contains("net_device.reg_state became u8");
    }

    @Test
    void filtersSetsByVerdict() throws IOException {
        open(SampleAudits.small());
        for (String state : List.of("ready", "link", "install", "rebuild", "undetermined")) {
            browser.click("#states input[value=" + state + "]");
        }
        assertThat(text(SETS_SHOWN)).isEqualTo("1 module set");
        assertThat(shown("#matrix tbody")).startsWith("lustre-client 2.15.5");
        assertThat(shown("#reasons tbody")).contains("Blocked").doesNotContain("Rebuild");
        browser.click("#states input[value=blocked]");
        assertThat(shown("#matrix tbody")).isEqualTo("Nothing matches.");
        browser.press("Tab", "Tab", "ArrowDown", "Enter");
    }

    @Test
    void sortsSets() throws IOException {
        open(SampleAudits.small());
        order("nodes");
        assertThat(shown("#matrix tbody tr .name")).isEqualTo("mlnx-ofed 24.10-1.1.4");
        order("worst");
        assertThat(shown("#matrix tbody tr .name")).isEqualTo("lustre-client 2.15.5");
    }

    private void order(String name) throws IOException {
        browser.evaluate("(e => { e.value = '"
                + name
                + "'; e.dispatchEvent(new Event('change')); })(document.getElementById('order'))");
    }

    @Test
    void groupsSetsByVerdictsTheWorstFirst() throws IOException {
        open(SampleAudits.large(90, 4));
        List<String> rows = List.of(text("[...document.querySelectorAll('#matrix tbody tr')].map(row =>"
                        + " [...row.querySelectorAll('.sign')].map(e => e.textContent).join(''))"
                        + ".join(' ')")
                .split(" "));
        assertThat(rows).hasSize(90);
        assertThat(rows.get(0)).contains("✕");
        for (int i = 1; i < rows.size(); i++) {
            boolean fresh = !rows.get(i).equals(rows.get(i - 1));
            assertThat(fresh && rows.subList(0, i).contains(rows.get(i))).isFalse();
        }
    }

    @Test
    void showsDefectsActionsAndChangesInTables() throws IOException {
        open(SampleAudits.small());
        assertThat(shown("#kernels tbody"))
                .contains("412 rebuild, 2 blocked", "413 link, 2 undetermined", "414 ready, 1 link");
        assertThat(shown("#wrong tbody"))
                .contains("the loaded build is not the build on disk", "cn[017-019]")
                .contains("the link is dangling", "oss[1-2]");
        assertThat(shown("#actions tbody")).contains("cn[001-412]", "weaklink apply --kernel 5.14.0-570.el9.x86_64");
        assertThat(shown("#best")).contains("Best kernel: 5.14.0-503.11.1.el9_5.x86_64: 414 nodes ready");
        assertThat(shown("#missing tbody")).contains("connection refused", "cn[998-999]");
        assertThat(shown("#changes"))
                .contains(
                        "4 findings unchanged. 2 nodes with earlier problems that could not be checked again.",
                        "New",
                        "Fixed",
                        "mlx5_ib: the link is dangling");
        assertThat(shown("#main")).contains("Not everything could be read on 1 node:", "oss2");
        browser.click("#causes tbody button");
        assertThat(text("document.getElementById('search').value")).isEqualTo("ether_setup");
    }

    @Test
    void buttonsCopyCommandsWithTheirNodes() throws IOException {
        open(SampleAudits.small());
        browser.allowClipboard();
        String first = "clush -w 'cn[001-412]' 'weaklink apply --kernel 5.14.0-570.el9.x86_64'";
        assertThat(shown("#actions tbody .command")).isEqualTo(first);
        browser.click("#actions tbody .copy");
        assertThat(text("navigator.clipboard.readText()")).isEqualTo(first);
        assertThat(shown("#actions tbody .copy")).isEqualTo("Copied");

        open(SampleAudits.rebuildForTheBest());
        browser.click("#best .copy");
        assertThat(text("navigator.clipboard.readText()"))
                .isEqualTo("clush -w 'cn[001-412]' 'weaklink apply --rebuild --kernel 6.1.0-56'");
    }

    @Test
    void putsTheBestKernelFirstAndMarksIt() throws IOException {
        open(SampleAudits.small());
        assertThat(shown("#kernels tbody tr:first-child"))
                .contains("5.14.0-503.11.1.el9_5.x86_64")
                .contains("best");
        assertThat(text("String(document.querySelectorAll('#kernels .best').length)"))
                .isEqualTo("1");
    }

    @Test
    void longNodeSetsAndReleasesStayOnALine() throws IOException {
        open(SampleAudits.large(300, 3));
        browser.window(1440, 900);
        assertThat(browser.evaluate("Math.max(...[...document.querySelectorAll('#actions .release')]"
                                + ".map(e => e.getBoundingClientRect().height))")
                        .asInt())
                .isLessThan(25);
        browser.window(390, 900);
        assertThat(text("[...document.querySelectorAll('main section:not(#matrix) .scroll')]"
                        + ".map(e => e.scrollWidth - e.clientWidth).join('')"))
                .matches("0+");
    }

    @Test
    void showsTodaysStateWithoutKernels() throws IOException {
        open(SampleAudits.calm());
        assertThat(shown("#main")).contains("No kernel was named", "nothing found", "cn[1-2]");
        assertThat(text("String(document.getElementById('matrix'))")).isEqualTo("null");
        assertThat(shown("#wrong tbody")).isEqualTo("Nothing found.");
        picture("calm");
    }

    @Test
    void escapesHostileText() throws IOException {
        Path file = open(SampleAudits.hostile());
        assertThat(text("document.querySelectorAll('b').length + ' ' + document.scripts.length"))
                .isEqualTo("0 2");
        assertThat(shown("#matrix .name")).contains("=1+1\\u001b[31m\"'`<b>\\</script><!--]]>\\u2028");
        browser.click("#matrix tbody td.rebuild");
        assertThat(shown("#detail")).contains("</script><!--]]>\\u2028\\u202e&amp;{}");
        String page = Files.readString(file, StandardCharsets.UTF_8);
        assertThat(page.split("</script", -1)).hasSize(3);
    }

    @Test
    void doesNotRunForeignScripts() throws IOException {
        Path file = open(SampleAudits.small());
        Path changed = directory.resolve("changed.html");
        String page = Files.readString(file, StandardCharsets.UTF_8);
        Files.writeString(changed, page.replace("<noscript>", "<script>document.title = 'taken'</script><noscript>"));
        try (Browser other = Browser.startOrSkip(directory.resolve("other-profile"))) {
            other.open(changed);
            assertThat(other.evaluate("document.title").asText()).isEqualTo("Cluster audit");
            assertThat(other.complaints()).hasSize(1);
            assertThat(other.complaints().get(0)).contains("Content Security Policy");
        }
    }

    @Test
    void distinguishesSetsOfOneNameByTheirDifference() throws IOException {
        String kernel = "5.14.0-503.el9.x86_64";
        open(new AuditReports()
                .nodes(5)
                .target(kernel)
                .set(kernel, "mlnx-ofed 24.10", "ib_core", "mlx5_core")
                .set(kernel, "mlnx-ofed 24.10", "ib_core")
                .set(kernel, "mlnx-ofed 24.10", "knem", "ib_core", "mlx5_core")
                .set(kernel, "mlnx-ofed 24.10", "ib_core", "mlx5_core")
                .set("6.12.0", "zfs 2.2", "zfs")
                .set("6.1.0", "zfs 2.2", "zfs")
                .build());
        order("given");
        assertThat(text("[...document.querySelectorAll('#matrix .name')].map(e => e.textContent).join('; ')"))
                .matches("mlnx-ofed 24\\.10; mlnx-ofed 24\\.10, without mlx5_core; mlnx-ofed 24\\.10, with knem;"
                        + " mlnx-ofed 24\\.10 \\([0-9a-f]{8}\\); zfs 2\\.2 for 6\\.12\\.0; zfs 2\\.2 for 6\\.1\\.0");
    }

    @Test
    void showsTenThousandSetsOnPages() throws IOException {
        open(SampleAudits.large(10_000, 5));
        order("given");
        assertThat(text(SETS_SHOWN)).isEqualTo("1–100 of 10,000 module sets");
        assertThat(browser.evaluate("document.querySelectorAll('*').length").asInt())
                .isLessThan(20_000);
        browser.evaluate("document.querySelector('#matrix [tabindex=\"0\"]').focus()");
        browser.press("Ctrl+End");
        assertThat(text(FOCUSED)).startsWith("zfs 2.2.6.9999 on ");
        assertThat(text(SETS_SHOWN)).isEqualTo("9,901–10,000 of 10,000 module sets");
        browser.press("Ctrl+Home", "PageDown", "ArrowUp");
        assertThat(text("document.activeElement.parentNode.ariaRowIndex")).isEqualTo("11");
        browser.press("PageDown", "PageDown", "PageDown", "PageDown", "PageDown", "PageDown");
        browser.press("PageDown", "PageDown", "PageDown", "PageDown");
        assertThat(text("document.activeElement.parentNode.ariaRowIndex")).isEqualTo("111");
        assertThat(text(SETS_SHOWN)).isEqualTo("101–200 of 10,000 module sets");
        browser.click("#matrix .pager button:last-child");
        assertThat(text(SETS_SHOWN)).isEqualTo("201–300 of 10,000 module sets");
        browser.click("#search");
        browser.type("cn9876");
        assertThat(text(SETS_SHOWN)).isEqualTo("1 module set");
        picture("large-found");
        browser.press("Escape");
        lookAtEveryWidth("sets-10000-5");
    }
}
