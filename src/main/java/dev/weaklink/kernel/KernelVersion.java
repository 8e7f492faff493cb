package dev.weaklink.kernel;

/**
 * The leading numbers of a kernel release.
 *
 * @param major the first number, such as 6 in 6.1.0-53-amd64
 * @param minor the second number
 * @param patch the third number, 0 if absent
 */
public record KernelVersion(int major, int minor, int patch) implements Comparable<KernelVersion> {
    private static final int LIMIT = 100_000;

    public static KernelVersion parse(String release) {
        int[] numbers = new int[3];
        int count = 0;
        int at = 0;
        while (count < 3 && at < release.length() && isDigit(release.charAt(at))) {
            int value = 0;
            while (at < release.length() && isDigit(release.charAt(at))) {
                value = Math.min(value * 10 + (release.charAt(at++) - '0'), LIMIT);
            }
            numbers[count++] = value;
            if (at < release.length() && release.charAt(at) == '.') {
                at++;
            } else {
                break;
            }
        }
        if (count < 2) {
            throw new IllegalArgumentException("not a kernel release: " + release);
        }
        return new KernelVersion(numbers[0], numbers[1], numbers[2]);
    }

    public boolean atLeast(int wantedMajor, int wantedMinor) {
        return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
    }

    @Override
    public int compareTo(KernelVersion other) {
        int byMajor = Integer.compare(major, other.major);
        if (byMajor != 0) {
            return byMajor;
        }
        int byMinor = Integer.compare(minor, other.minor);
        return byMinor != 0 ? byMinor : Integer.compare(patch, other.patch);
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
