package dev.weaklink.sys;

/** Words of command lines that people are shown and may type. */
public final class ShellWord {
    private ShellWord() {}

    /** A word as a shell reads it back unchanged (POSIX Shell Command Language, 2.2.2). */
    public static String of(String word) {
        boolean plain = !word.isEmpty();
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            plain &= c < 0x7f && (Character.isLetterOrDigit(c) || "_-./:=@,+%^".indexOf(c) >= 0);
        }
        return plain ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
