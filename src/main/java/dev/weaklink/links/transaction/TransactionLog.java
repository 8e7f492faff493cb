package dev.weaklink.links.transaction;

import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.links.transaction.TransactionRecord.TransactionProgress;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The log of all transactions below a root directory. Each transaction has a directory named after its number. */
final class TransactionLog {
    private static final String PLACE = "/var/lib/weaklink/transactions";
    private static final int MAX_DIGITS = 9;

    /**
     * The number of saved sets of index files to keep. A transaction saves a set for each of its kernels; for a
     * distribution's kernel, a set takes about 5 MB.
     */
    private static final int KEPT_INDEXES = 50;

    /**
     * The maximum total size, in bytes, of the replaced files to keep; the newest transaction with such files may
     * exceed it.
     */
    private static final long KEPT_FILES = 1L << 30;

    private static final int KEPT_TRANSACTIONS = 1000;

    private final Path directory;
    private final FaultPoint faults;

    TransactionLog(Root root, FaultPoint faults) throws IOException {
        this.directory = root.resolve(PLACE);
        this.faults = faults;
    }

    /** Returns the numbers of all transactions, sorted, without creating files. */
    List<Integer> numbers() throws IOException {
        List<Integer> numbers = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                int number = number(String.valueOf(entry.getFileName()));
                if (number > 0) {
                    numbers.add(number);
                }
            }
        } catch (NoSuchFileException e) {
            return numbers;
        } catch (DirectoryIteratorException e) {
            throw Objects.requireNonNull(e.getCause());
        }
        numbers.sort(null);
        return numbers;
    }

    boolean isSettled() throws IOException {
        List<Integer> numbers = numbers();
        return numbers.isEmpty() || open(numbers.get(numbers.size() - 1)).isFinished();
    }

    private static int number(String name) {
        if (name.isEmpty() || name.length() > MAX_DIGITS || name.charAt(0) == '0') {
            return 0;
        }
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) < '0' || name.charAt(i) > '9') {
                return 0;
            }
        }
        return Integer.parseInt(name);
    }

    Path place(int number) {
        return number == 0 ? directory : directory.resolve(Integer.toString(number));
    }

    /** Returns the message for a journal that blocks every change, with the next step for the administrator. */
    String blocked(int number, IOException cause) {
        String place = ShellWord.of(place(number).toString());
        return (number == 0 ? "the history" : "the journal of transaction " + number)
                + " cannot be used ("
                + IoReason.of(cause)
                + (cause instanceof AccessDeniedException
                        ? "); run the command as root"
                        : "); check the weak-updates links, then run: mv " + place + " " + place + ".damaged");
    }

    /**
     * Returns the directory of an existing transaction.
     *
     * @throws IOException if there is no such transaction
     */
    TransactionDirectory open(int number) throws IOException {
        Path host = directory.resolve(Integer.toString(number));
        if (!Files.isDirectory(host, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("there is no transaction " + number + " in the history");
        }
        return new TransactionDirectory(number, host, faults);
    }

    TransactionDirectory create() throws IOException {
        DurableFiles.createDirectories(directory);
        List<Integer> numbers = numbers();
        int number = numbers.isEmpty() ? 1 : numbers.get(numbers.size() - 1) + 1;
        Path host = directory.resolve(Integer.toString(number));
        faults.at("before making a transaction's directory");
        DurableFiles.createDirectories(host);
        faults.at("after making a transaction's directory");
        return new TransactionDirectory(number, host, faults);
    }

    /**
     * Returns whether a transaction in the log made this directory. An unreadable transaction counts as not having made
     * the directory.
     */
    boolean madeDirectory(String path) {
        try {
            for (int number : numbers()) {
                if (madeDirectory(number, path)) {
                    return true;
                }
            }
        } catch (IOException e) {
            // An unreadable log proves nothing, so the directory stays.
        }
        return false;
    }

    private boolean madeDirectory(int number, String path) {
        try {
            TransactionRecord record = open(number).record();
            return record != null && makes(record, path);
        } catch (IOException e) {
            return false;
        }
    }

    List<TransactionDirectory> joined(TransactionRecord last) throws IOException {
        List<TransactionDirectory> joined = new ArrayList<>();
        for (int number : last.group() == 0 ? List.<Integer>of() : numbers()) {
            TransactionRecord one = number < last.number() ? done(number) : null;
            if (one != null && one.group() == last.group()) {
                joined.add(open(number));
            }
        }
        joined.add(open(last.number()));
        return joined;
    }

    void close(int group) throws IOException {
        List<Integer> numbers = numbers();
        for (int i = numbers.size() - 1; i >= 0; i--) {
            TransactionRecord record = done(numbers.get(i));
            if (record != null && record.group() == group) {
                TransactionDirectory last = open(numbers.get(i));
                last.write(last.progress().close());
                return;
            }
        }
    }

    private @Nullable TransactionRecord done(int number) {
        try {
            TransactionDirectory transaction = open(number);
            boolean isDone = transaction.progress().phase() == TransactionProgress.Phase.DONE;
            return isDone ? transaction.record() : null;
        } catch (IOException e) {
            return null;
        }
    }

    private static boolean makes(TransactionRecord record, String path) {
        return record.changes().stream()
                .anyMatch(change -> change.path().equals(path) && change.after() instanceof PathState.Directory);
    }

    /**
     * Deletes old index files, old contents of replaced files and very old transactions, so that the disk does not fill
     * up. The newest transaction that replaced files keeps their contents, whatever their size.
     */
    void prune() throws IOException {
        List<Integer> numbers = numbers();
        int kept = 0;
        long bytes = 0;
        for (int i = numbers.size() - 1; i >= 0; i--) {
            TransactionDirectory transaction = open(numbers.get(i));
            if (numbers.size() - i > KEPT_TRANSACTIONS) {
                transaction.delete();
                continue;
            }
            kept += kernelsIn(transaction.indexes());
            if (kept > KEPT_INDEXES && Files.exists(transaction.indexes(), LinkOption.NOFOLLOW_LINKS)) {
                transaction.forgetIndexes();
            }
            long newer = bytes;
            bytes += transaction.sizeOfFiles();
            if (newer > 0 && bytes > KEPT_FILES) {
                transaction.retainFiles(Set.of());
            }
        }
    }

    private static int kernelsIn(Path indexes) throws IOException {
        int kernels = 0;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(indexes)) {
            for (Path ignored : entries) {
                kernels++;
            }
        } catch (NoSuchFileException e) {
            return 0;
        }
        return kernels;
    }
}
