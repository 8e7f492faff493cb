package dev.weaklink.report;

import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Sha256;
import dev.weaklink.sys.ShippedText;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * A result as one self-contained HTML page: the compressed JSON document, with style and scripts around it. The page's
 * content security policy names style and scripts by their digests, so that the browser runs no other script and
 * fetches nothing.
 */
public final class ScriptedPage {
    private static final char MARK = '@';

    private ScriptedPage() {}

    @FunctionalInterface
    public interface Data {
        void write(OutputStream out) throws IOException;
    }

    /**
     * Writes the page; {@code out} is left open.
     *
     * @param page the resource path of the page's template
     * @param styles the resource paths of the styles
     * @param scripts the resource paths of the scripts, in the order in which they run
     */
    public static void write(String page, List<String> styles, List<String> scripts, Data data, OutputStream out)
            throws IOException {
        write(page, styles, scripts, Map.of(), data, out);
    }

    /**
     * Writes a page with parts that are readable before its script has run; {@code out} is left open.
     *
     * @param parts the HTML of each part, by the name between two {@code @} in the page's template
     */
    public static void write(
            String page,
            List<String> styles,
            List<String> scripts,
            Map<String, String> parts,
            Data data,
            OutputStream out)
            throws IOException {
        String style = joined(styles);
        String script = "'use strict';\n(async () => {\n" + joined(scripts) + "})();\n";
        String[] frame = ShippedText.of(page).split(String.valueOf(MARK), -1);
        for (int i = 0; i < frame.length; i++) {
            String part = i % 2 == 0 ? frame[i] : parts.get(frame[i]);
            if (part != null) {
                write(part, out);
                continue;
            }
            switch (frame[i]) {
                case "policy" -> write(policy(style, script), out);
                case "style" -> write(style, out);
                case "script" -> write(script, out);
                case "data" -> packed(data, out);
                default -> throw new IllegalStateException(page + ": no such part: " + frame[i]);
            }
        }
    }

    public static String html(String text) {
        return Escape.text(text)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String joined(List<String> paths) {
        StringBuilder text = new StringBuilder();
        paths.forEach(path -> text.append(ShippedText.of(path)));
        return text.toString();
    }

    /** Writes the document compressed, because the audit of ten thousand module sets has forty megabytes. */
    private static void packed(Data data, OutputStream out) throws IOException {
        OutputStream text = Base64.getEncoder().wrap(new OpenStream(out));
        try (OutputStream packed = new GZIPOutputStream(text, 1 << 16)) {
            data.write(packed);
        }
    }

    private static String policy(String style, String script) {
        return "default-src 'none'; style-src "
                + digest(style)
                + "; script-src "
                + digest(script)
                + "; base-uri 'none'; form-action 'none'";
    }

    /** Returns the digest of an inline element's exact content, as content security policies name it. */
    private static String digest(String content) {
        byte[] digest = Sha256.start().digest(content.getBytes(StandardCharsets.UTF_8));
        return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    }

    private static void write(String text, OutputStream out) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static final class OpenStream extends FilterOutputStream {
        OpenStream(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
