package dev.weaklink.cli;

/** The entry point, which connects the program to its process. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        System.exit(new Weaklink(Console.ofProcess()).run(args));
    }
}
