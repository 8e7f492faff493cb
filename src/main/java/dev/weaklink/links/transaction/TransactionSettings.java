package dev.weaklink.links.transaction;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How transactions are carried out.
 *
 * @param lockWait how long to wait for another process; zero means not at all
 * @param depmod the program, a path of the host; null means the one in the PATH or in sbin
 * @param depmodLimit how long one depmod may take
 * @param initramfsLimit how long one initramfs command may take
 * @param clock what dates the history
 * @param faults where tests break it off
 */
public record TransactionSettings(
        Duration lockWait,
        @Nullable Path depmod,
        Duration depmodLimit,
        Duration initramfsLimit,
        Clock clock,
        FaultPoint faults) {
    /** Waits ten minutes for others, and as long for programs. */
    public static final TransactionSettings DEFAULT = new TransactionSettings(
            Duration.ofMinutes(10),
            null,
            Duration.ofMinutes(10),
            Duration.ofMinutes(30),
            Clock.systemUTC(),
            FaultPoint.NONE);

    /** The same with another limit for the lock. */
    public TransactionSettings withLockWait(Duration limit) {
        return new TransactionSettings(limit, depmod, depmodLimit, initramfsLimit, clock, faults);
    }

    /** The same with another depmod. */
    public TransactionSettings withDepmod(@Nullable Path program) {
        return new TransactionSettings(lockWait, program, depmodLimit, initramfsLimit, clock, faults);
    }

    /** The same, broken off at one of these points. */
    public TransactionSettings withFaults(FaultPoint points) {
        return new TransactionSettings(lockWait, depmod, depmodLimit, initramfsLimit, clock, points);
    }

    /** Is passed before and after every step that changes the disk, so that tests can break it off. */
    public interface FaultPoint {
        /** What runs outside tests. */
        FaultPoint NONE = step -> {};

        /** This step comes next, or was done. */
        void at(String step);
    }
}
