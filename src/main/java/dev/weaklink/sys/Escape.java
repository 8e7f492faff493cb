package dev.weaklink.sys;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Makes text from files and arguments harmless for a terminal. */
public final class Escape {
    private static final String HEX = "0123456789abcdef";

    private Escape() {}

    /**
     * Escapes text, such as a path. Control characters, line breaks, unpaired surrogates, and format characters, which
     * are invisible or change the text direction, become {@code \xNN} or {@code \}{@code uNNNN}.
     */
    public static String text(String text) {
        return escape(text, false);
    }

    /**
     * Escapes bytes from a file, given as a string with one character for each byte. Valid UTF-8 is decoded; otherwise
     * all bytes beyond ASCII become {@code \xNN}. Control characters are escaped as in {@link #text}. A string with
     * characters above 255 is treated as text.
     */
    public static String bytes(String bytes) {
        if (!isBytes(bytes)) {
            return text(bytes);
        }
        String decoded = Utf8.decode(bytes);
        return decoded == null ? escape(bytes, true) : escape(decoded, false);
    }

    private static boolean isBytes(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 0xff) {
                return false;
            }
        }
        return true;
    }

    private static String escape(String text, boolean asciiOnly) {
        int harmless = 0;
        while (harmless < text.length() && isHarmless(text.charAt(harmless), asciiOnly)) {
            harmless++;
        }
        if (harmless == text.length()) {
            return text;
        }
        StringBuilder escaped = new StringBuilder(text.length() + 16).append(text, 0, harmless);
        for (int i = harmless; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isHarmless(c, asciiOnly) || isVisiblePair(text, i)) {
                escaped.append(c);
            } else {
                append(escaped, c);
            }
        }
        return escaped.toString();
    }

    private static boolean isHarmless(char c, boolean asciiOnly) {
        if (c < 0x7f) {
            return c >= ' ';
        }
        return !asciiOnly && c >= 0xa0 && !isInvisible(c) && !Character.isSurrogate(c);
    }

    /** Returns whether the character is a line or paragraph separator, or a format character (Unicode category Cf). */
    private static boolean isInvisible(int codePoint) {
        int type = Character.getType(codePoint);
        return type == Character.FORMAT || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR;
    }

    private static boolean isVisiblePair(String text, int at) {
        int high = at > 0 && Character.isLowSurrogate(text.charAt(at)) ? at - 1 : at;
        return high + 1 < text.length()
                && Character.isSurrogatePair(text.charAt(high), text.charAt(high + 1))
                && !isInvisible(text.codePointAt(high));
    }

    private static void append(StringBuilder to, char c) {
        if (c < 0x100) {
            to.append("\\x");
        } else {
            to.append("\\u").append(hexDigit(c >> 12)).append(hexDigit(c >> 8));
        }
        to.append(hexDigit(c >> 4)).append(hexDigit(c));
    }

    private static char hexDigit(int value) {
        return HEX.charAt(value & 0xf);
    }

    /** Decodes UTF-8 in strings that contain one character for each byte. */
    public static final class Utf8 {
        private Utf8() {}

        /** Returns the text of UTF-8 bytes, or null if they are not valid UTF-8. */
        public static @Nullable String decode(String bytes) {
            if (isAscii(bytes)) {
                return bytes;
            }
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)))
                        .toString();
            } catch (CharacterCodingException e) {
                return null;
            }
        }

        public static String text(String bytes) {
            String decoded = decode(bytes);
            return decoded != null ? decoded : bytes;
        }

        private static boolean isAscii(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (text.charAt(i) >= 0x80) {
                    return false;
                }
            }
            return true;
        }
    }
}
