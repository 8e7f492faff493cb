package dev.weaklink.fleet.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the appearance of the page: in wide and narrow windows, in light and dark mode, and on paper. */
@Tag("slow")
class AuditPageLooksTest extends PageInBrowser {
    @Test
    void layoutStaysWithoutInput() throws IOException {
        open(SampleAudits.small());
        browser.click("#search");
        browser.type("lustre");
        browser.click("#states input[value=ready]");
        assertThat(browser.evaluate("new Promise(done => { let sum = 0; new PerformanceObserver(list => {"
                                + " for (const e of list.getEntries()) { if (!e.hadRecentInput) {"
                                + " sum += e.value; } } }).observe({type: 'layout-shift', buffered: true});"
                                + " requestAnimationFrame(() => setTimeout(() => done(sum))); })")
                        .asDouble())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"light", "dark"})
    void textHasEnoughContrast(String scheme) throws IOException {
        open(SampleAudits.small());
        browser.media("screen", scheme);
        assertThat(text(CONTRASTS)).isEqualTo("");
    }

    /**
     * Lists the elements with text whose contrast is below 4.5 (WCAG 2, success criterion 1.4.3), each with its
     * contrast.
     */
    private static final String CONTRASTS = """
      (() => {
        const part = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
        const numbers = text => text.match(/[0-9.]+/g).map(Number);
        const ground = e => {
          const c = numbers(getComputedStyle(e).backgroundColor);
          return c.length === 4 && c[3] === 0 ? ground(e.parentElement) : c;
        };
        const poor = new Set();
        for (const e of document.querySelectorAll('body *')) {
          const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
          if (own && e.offsetParent && !e.closest(':disabled, .unseen, noscript')) {
            const [a, b] = [light(numbers(getComputedStyle(e).color)), light(ground(e))];
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < 4.5) {
              poor.add(e.tagName + '.' + e.className + ' ' + contrast.toFixed(1));
            }
          }
        }
        return [...poor].join('; ');
      })()""";

    @ParameterizedTest
    @CsvSource({"1280,light", "1280,dark", "400,light", "400,dark"})
    void fitsIntoTheWindow(int width, String scheme) throws IOException {
        open(SampleAudits.small());
        browser.window(width, 2600);
        browser.media("screen", scheme);
        assertThat(text(TOO_WIDE)).isEqualTo("0");
        picture("small-" + width + "-" + scheme);
        browser.window(width, 900);
        browser.click("#matrix tbody td.rebuild");
        assertThat(browser.evaluate("document.getElementById('detail').offsetWidth")
                        .asInt())
                .isLessThanOrEqualTo(width);
        picture("detail-" + width + "-" + scheme);
    }

    @ParameterizedTest
    @CsvSource({"5,12", "300,12", "300,5"})
    void fitsSetsIntoTheWindow(int sets, int targets) throws IOException {
        open(SampleAudits.large(sets, targets));
        lookAtEveryWidth("sets-" + sets + "-" + targets);
    }

    @Test
    void printsAllRowsAndNoButtonsOnPaper() throws IOException {
        open(SampleAudits.large(150, 3));
        browser.media("print", "dark");
        browser.evaluate("addEventListener('beforeprint', () => { window.printed ="
                + " document.querySelectorAll('#matrix tbody tr').length; })");
        keep("paper.pdf", browser.pdf());
        assertThat(browser.evaluate("window.printed").asInt()).isEqualTo(150);
        assertThat(text("getComputedStyle(document.body).backgroundColor")).isEqualTo("rgb(255, 255, 255)");
        assertThat(text("getComputedStyle(document.querySelector('.tools')).display"))
                .isEqualTo("none");
        assertThat(text(SETS_SHOWN)).isEqualTo("1–100 of 150 module sets");
        open(SampleAudits.small());
        browser.media("print", "light");
        keep("paper-small.pdf", browser.pdf());
    }
}
