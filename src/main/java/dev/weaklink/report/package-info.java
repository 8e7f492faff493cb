/**
 * Renders results in the output formats. {@link Format}, the class to open first, lists the formats. {@link Page}
 * builds text for people. {@link Csv}, {@link Junit} and {@link Markdown} build output for other programs.
 * {@link ScriptedPage} writes a JSON document as a self-contained HTML page. Output streams stay open, because the
 * caller closes them.
 */
@NullMarked
package dev.weaklink.report;

import org.jspecify.annotations.NullMarked;
