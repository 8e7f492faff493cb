package dev.weaklink.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.MatrixReport;
import dev.weaklink.check.result.MatrixReport.Lost;
import dev.weaklink.check.result.MatrixReport.MatrixChange;
import dev.weaklink.check.result.MatrixReport.MatrixKernel;
import dev.weaklink.check.result.MatrixReport.Range;
import dev.weaklink.check.result.MatrixReport.Required;
import dev.weaklink.check.result.MatrixReport.Row;
import dev.weaklink.loader.Outcome;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.testing.Browser;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of builds and kernels in a browser. {@code -Dweaklink.screenshots=DIR} saves screenshots. */
@Tag("slow")
class MatrixPageBrowserTest {
    private static final String TOO_WIDE =
            "String(document.documentElement.scrollWidth - document.documentElement.clientWidth)";

    @TempDir
    Path directory;

    /**
     * Returns a report in which each build loads on some kernels in the middle of one series, and on no other kernel.
     */
    private static MatrixReport report(int builds, int kernelCount, int seriesCount) {
        List<MatrixKernel> kernels = new ArrayList<>();
        int each = kernelCount / seriesCount;
        for (int i = 0; i < kernelCount; i++) {
            int minor = 4 + i / each;
            String release = "5." + minor + ".0-" + (100 + i) + ".el9_" + minor + ".x86_64";
            kernels.add(MatrixKernel.of(release, release));
        }
        List<Row> rows = new ArrayList<>();
        for (int b = 0; b < builds; b++) {
            List<Outcome> answers = new ArrayList<>();
            for (int i = 0; i < kernelCount; i++) {
                boolean served = i / each == b % seriesCount && i % each > 4 && i % each < 5 + each / 2;
                answers.add(
                        served
                                ? Outcome.COMPATIBLE
                                : i == kernelCount - 1 ? Outcome.UNDETERMINED : Outcome.INCOMPATIBLE);
            }
            List<Range> ranges = new ArrayList<>();
            for (Range range : MatrixReport.ranges(kernels, answers)) {
                ranges.add(
                        range.loads()
                                ? range
                                : range.because("symbol-crc", "mlx5_core: <b>net_device.xdp</b> changed " + b, ""));
            }
            String file = "/srv/kmod-driver-" + b + ".rpm";
            rows.add(new Row(
                    file,
                    "kmod-driver",
                    b + ".0-1.el9",
                    List.of("5.4.0-105.el9_4.x86_64"),
                    3,
                    Set.of("a", "b", "c"),
                    ranges));
        }
        return new MatrixReport(kernels, rows, List.of(new InputProblem("x.rpm", "truncated")));
    }

    private void open(Browser browser, MatrixReport report, int width) throws IOException {
        Path file = directory.resolve("page.html");
        try (OutputStream out = Files.newOutputStream(file)) {
            MatrixForms.write(report, Format.HTML, new TableOptions(80, false, false), out);
        }
        assertThat(Files.size(file)).isLessThan(2 << 20);
        browser.window(width, 1000);
        browser.open(file);
        browser.evaluate("new Promise(done => { const look = () => 'ready' in document.body.dataset"
                + " ? done('') : setTimeout(look, 10); look(); })");
    }

    private static void picture(Browser browser, String name) throws IOException {
        String kept = System.getProperty("weaklink.screenshots");
        if (kept != null) {
            Files.write(Path.of(kept).resolve(name + ".png"), browser.screenshot());
        }
    }

    private static String text(Browser browser, String expression) throws IOException {
        return browser.evaluate(expression).asText();
    }

    @Test
    void fitsFiftyBuildsOnTwoHundredKernelsOnScreenAndPhone() throws IOException {
        try (Browser browser = Browser.startOrSkip(directory.resolve("profile"))) {
            for (int width : new int[] {1440, 390}) {
                open(browser, report(50, 200, 5), width);
                assertThat(text(browser, "String(document.querySelectorAll('details.build').length)"))
                        .isEqualTo("50");
                assertThat(text(browser, TOO_WIDE)).as("at %d", width).isEqualTo("0");
                picture(browser, "matrix-" + width);
                browser.click("details.build summary");
                assertThat(text(browser, "document.querySelector('.edges .list').innerText"))
                        .contains("5.4.0-104.el9_4.x86_64", "mlx5_core: <b>net_device.xdp</b> changed 0");
                assertThat(text(browser, "document.querySelector('.folded summary').innerText"))
                        .contains("3 series: symbol-crc, 120 kernels", "5.5 el9 x86_64, 5.6 el9 x86_64");
                browser.click(".folded summary");
                assertThat(text(browser, TOO_WIDE)).as("opened, at %d", width).isEqualTo("0");
                picture(browser, "matrix-open-" + width);
            }
            assertThat(browser.complaints()).isEmpty();
            assertThat(browser.requests()).allMatch(address -> address.startsWith("file:///"));
        }
    }

    @Test
    void showsRequirementsAndChangesFirst() throws IOException {
        try (Browser browser = Browser.startOrSkip(directory.resolve("profile"))) {
            MatrixReport plain = report(2, 40, 2);
            String kernel = plain.kernels().get(30).name();
            MatrixReport full = new MatrixReport(
                    plain.kernels(),
                    plain.rows(),
                    new Required(
                            KernelRequirements.NONE,
                            2,
                            List.of(new Lost(kernel, "kmod-driver", Outcome.INCOMPATIBLE, "driver: <i>why</i>"))),
                    List.of(new MatrixChange(kernel, "kmod 1", null, true, Outcome.INCOMPATIBLE, "why")),
                    List.of());
            for (int width : new int[] {1440, 390}) {
                open(browser, full, width);
                assertThat(text(browser, "document.getElementById('main').innerText"))
                        .contains(
                                "required: 2 kernels, 1 not served",
                                kernel + ": driver: <i>why</i>",
                                "Since the last run",
                                "new kernel " + kernel + ": no longer served by kmod 1; rebuild: why");
                assertThat(text(browser, TOO_WIDE)).as("at %d", width).isEqualTo("0");
                picture(browser, "matrix-required-" + width);
            }
        }
    }

    @Test
    void buildsAndKernelsAreSearched() throws IOException {
        try (Browser browser = Browser.startOrSkip(directory.resolve("profile"))) {
            open(browser, report(6, 240, 12), 1440);
            browser.click("#kernels");
            browser.type("5.1");
            browser.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))");
            assertThat(text(browser, "document.getElementById('found').textContent"))
                    .isEqualTo("6 builds, 0 kernels");
            open(browser, report(6, 40, 2), 1440);
            browser.click("#builds");
            browser.type("changed 3");
            browser.click("#kernels");
            browser.type("el9_5");
            browser.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))");
            assertThat(text(browser, "document.getElementById('found').textContent"))
                    .isEqualTo("1 build, 20 kernels");
            assertThat(text(browser, "document.querySelector('.serves').textContent"))
                    .isEqualTo("serves 10 of 20 kernels");
            assertThat(text(browser, "document.querySelector('.notice').textContent"))
                    .contains("x.rpm: truncated");
        }
    }

    private static Row build(List<MatrixKernel> kernels, String name, Set<String> modules, Outcome... answers) {
        List<Range> ranges = MatrixReport.ranges(kernels, List.of(answers));
        ranges.replaceAll(range -> range.loads()
                ? range.unchecking(new TreeSet<>(Set.of("importers")))
                : range.because(
                        "symbol-crc",
                        "m: symbol-crc: _printk (wanted 0x1; vmlinux offers 0x2)",
                        "m: built for another kernel configuration"));
        return new Row("/" + name + ".rpm", name, "1", List.of(kernels.get(0).release()), 1, modules, ranges);
    }

    @Test
    void groupsBuildsOfAProductBelowABarOfItsKernels() throws IOException {
        List<MatrixKernel> kernels = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            String release = "6.1.0-" + i + "-amd64";
            kernels.add(MatrixKernel.of(release, release));
        }
        Outcome yes = Outcome.COMPATIBLE;
        Outcome no = Outcome.INCOMPATIBLE;
        List<Row> rows = List.of(
                build(kernels, "net-a", Set.of("net"), yes, yes, no, no),
                build(kernels, "fs", Set.of("fs"), no, no, no, yes),
                build(kernels, "net-b", Set.of("net"), no, no, yes, no));
        MatrixReport report = new MatrixReport(kernels, rows, List.of());
        try (Browser browser = Browser.startOrSkip(directory.resolve("profile"))) {
            for (int width : new int[] {1440, 390}) {
                open(browser, report, width);
                assertThat(text(
                                browser,
                                "[...document.querySelectorAll('main > details h2')].map(e => e.textContent).join()"))
                        .isEqualTo("net,fs 1");
                assertThat(text(browser, "document.querySelector('details.product .serves').textContent"))
                        .isEqualTo("some build serves 3 of 4 kernels");
                assertThat(text(browser, "String(document.querySelectorAll('details.product details.build').length)"))
                        .isEqualTo("0");
                assertThat(text(browser, "document.getElementById('main').innerText"))
                        .contains("importers: whether other modules of the kernel would stop loading")
                        .contains("not checked: importers");
                browser.click("details.product summary");
                picture(browser, "matrix-products-" + width);
                assertThat(text(browser, "String(document.querySelectorAll('details.product details.build').length)"))
                        .isEqualTo("2");
                browser.click("details.product details.build summary");
                assertThat(text(browser, "document.querySelector('.edges .list').innerText"))
                        .contains("m: built for another kernel configuration")
                        .doesNotContain("vmlinux offers");
                assertThat(text(browser, TOO_WIDE)).as("at %d", width).isEqualTo("0");
                picture(browser, "matrix-products-open-" + width);
            }
            assertThat(browser.complaints()).isEmpty();
        }
    }
}
