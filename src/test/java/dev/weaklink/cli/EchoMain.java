package dev.weaklink.cli;

/** A stand-in for the program in tests of the launcher. It prints its arguments, one a line. */
final class EchoMain {
    private EchoMain() {}

    public static void main(String[] arguments) {
        for (String argument : arguments) {
            System.out.println(argument);
        }
    }
}
