package dev.weaklink.links.transaction;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings for transactions.
 *
 * @param lockWait the time to wait for another process; zero for no waiting
 * @param depmod the path of depmod on the host; null for the depmod in {@code PATH}, {@code sbin} or {@code bin}
 * @param depmodLimit the time limit of a depmod run
 * @param initramfsLimit the time limit of an initramfs command
 * @param clock the clock that dates the history
 * @param faults the hook with which tests interrupt a transaction
 */
public record TransactionSettings(
        Duration lockWait,
        @Nullable Path depmod,
        Duration depmodLimit,
        Duration initramfsLimit,
        Clock clock,
        FaultPoint faults) {
    public static final TransactionSettings DEFAULT = new TransactionSettings(
            Duration.ofMinutes(10),
            null,
            Duration.ofMinutes(10),
            Duration.ofMinutes(30),
            Clock.systemUTC(),
            FaultPoint.NONE);

    public TransactionSettings withLockWait(Duration limit) {
        return new TransactionSettings(limit, depmod, depmodLimit, initramfsLimit, clock, faults);
    }

    public TransactionSettings withDepmod(@Nullable Path program) {
        return new TransactionSettings(lockWait, program, depmodLimit, initramfsLimit, clock, faults);
    }

    public TransactionSettings withFaults(FaultPoint points) {
        return new TransactionSettings(lockWait, depmod, depmodLimit, initramfsLimit, clock, points);
    }

    /** A hook called before or after steps that change the disk. Tests interrupt a transaction with such a hook. */
    public interface FaultPoint {
        FaultPoint NONE = step -> {};

        void at(String step);
    }
}
