package dev.weaklink.sys;

/** Quotes arguments in command lines that are shown to people to copy. */
public final class ShellWord {
    private ShellWord() {}

    /** Returns a word in a form that a shell reads back unchanged (POSIX Shell Command Language, 2.2.2). */
    public static String of(String word) {
        boolean plain = !word.isEmpty();
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            plain &= c < 0x7f && (Character.isLetterOrDigit(c) || "_-./:=@,+%^".indexOf(c) >= 0);
        }
        return plain ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
