package dev.weaklink.kernel;

import java.io.Serial;
import java.io.Serializable;
import java.util.Comparator;

/**
 * Orders versions and releases of packages from old to new as rpm does (rpm-version(7)). Runs of digits are compared by
 * value, runs of letters by character, and digits are newer than letters. {@code ~} is older than the end; {@code ^} is
 * newer than the end and older than letters and digits. All other characters are only separators.
 */
public final class RpmOrder implements Comparator<String>, Serializable {
    @Serial
    private static final long serialVersionUID = 1L;

    public static final RpmOrder INSTANCE = new RpmOrder();

    private static final String TILDE = "~";
    private static final String CARET = "^";

    private RpmOrder() {}

    @Override
    public int compare(String left, String right) {
        Runs a = new Runs(left);
        Runs b = new Runs(right);
        while (true) {
            String x = a.next();
            String y = b.next();
            int order = Integer.compare(rank(x), rank(y));
            if (order == 0) {
                order = isNumber(x) ? compareNumbers(x, y) : x.compareTo(y);
            }
            if (order != 0 || x.isEmpty()) {
                return order;
            }
        }
    }

    /** Compares {@code EPOCH:VERSION-RELEASE}. For most versions of Debian packages, the order is also that of dpkg. */
    public static int compareWhole(String left, String right) {
        int order = 0;
        String[] a = parts(left);
        String[] b = parts(right);
        for (int i = 0; i < a.length && order == 0; i++) {
            order = INSTANCE.compare(a[i], b[i]);
        }
        return order;
    }

    private static String[] parts(String whole) {
        int colon = whole.indexOf(':');
        int dash = whole.lastIndexOf('-');
        int end = dash > colon ? dash : whole.length();
        return new String[] {
            colon < 0 ? "0" : whole.substring(0, colon),
            whole.substring(colon + 1, end),
            whole.substring(Math.min(whole.length(), end + 1))
        };
    }

    private static int rank(String run) {
        switch (run) {
            case TILDE:
                return 0;
            case "":
                return 1;
            case CARET:
                return 2;
            default:
                return isNumber(run) ? 4 : 3;
        }
    }

    private static boolean isNumber(String run) {
        return !run.isEmpty() && isDigit(run.charAt(0));
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    /** Compares numbers of any length by value; both must be free of leading zeros. */
    private static int compareNumbers(String x, String y) {
        return x.length() != y.length() ? Integer.compare(x.length(), y.length()) : x.compareTo(y);
    }

    private static final class Runs {
        private final String version;
        private int at;

        Runs(String version) {
            this.version = version;
        }

        /**
         * Returns the next run: a tilde, a caret, letters, or a number with its leading zeros removed; empty at the
         * end.
         */
        String next() {
            while (at < version.length() && isSeparator(version.charAt(at))) {
                at++;
            }
            if (at == version.length()) {
                return "";
            }
            int start = at++;
            char first = version.charAt(start);
            if (first == '~' || first == '^') {
                return version.substring(start, at);
            }
            while (at < version.length() && isOfSameKind(version.charAt(at), first)) {
                at++;
            }
            while (isDigit(first) && start < at - 1 && version.charAt(start) == '0') {
                start++;
            }
            return version.substring(start, at);
        }

        private static boolean isOfSameKind(char c, char first) {
            return isDigit(first) ? isDigit(c) : isLetter(c);
        }

        private static boolean isSeparator(char c) {
            return !isDigit(c) && !isLetter(c) && c != '~' && c != '^';
        }
    }
}
