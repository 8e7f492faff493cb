package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.NodeSet;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.Streams;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.StalledReads;
import dev.weaklink.sys.UnreadableException;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Reads the reports of nodes from files, directories and standard input, compressed or not. */
public final class Intake {
    public static final String STDIN = "-";

    /**
     * The maximum number of decompressed bytes of one input: 64 GiB. The reports of a million nodes have about 13 GB.
     */
    private static final long MAX_BYTES = 64L << 30;

    private static final String TOO_LONG = "longer than the limit of " + MAX_BYTES + " bytes";

    private static final String NO_SUCH_FILE =
            "no such file; give what weaklink-collect printed on the nodes, in a file, a directory or "
                    + "standard input (-)";

    private static final int BUFFER_SIZE = 64 << 10;

    /** The maximum depth of nested directories; Ansible's fetch creates fewer levels for a path of usual length. */
    private static final int MAX_DEPTH = 32;

    private static final int MAX_FILES = 1 << 20;

    private static final List<String> ENDINGS =
            List.of(".gz", ".xz", ".zst", ".json", ".ndjson", ".jsonl", ".txt", ".out", ".log");

    private final NodeCollector collector;
    private final int maxLine;
    private int files;

    public Intake(NodeVisitor visitor, Set<String> expected) {
        this(visitor, expected, LineReader.MAX_LENGTH);
    }

    Intake(NodeVisitor visitor, Set<String> expected, int maxLine) {
        this.collector = new NodeCollector(visitor, expected);
        this.maxLine = maxLine;
    }

    /** Returns the symbol tables that the nodes reported; complete after all input was read. */
    public ModuleTables tables() {
        return collector.tables();
    }

    /**
     * Passes the nodes to the visitor. Call after all input was read.
     *
     * @return the known nodes without a usable inventory, each with the reason
     */
    public SortedMap<String, String> finish() {
        collector.finish();
        return collector.missing().all();
    }

    public void read(String input, InputStream stdin) {
        if (input.equals(STDIN)) {
            collector.begin("standard input");
            // Do not close the caller's stream.
            read(new BufferedInputStream(stdin, BUFFER_SIZE), null);
            return;
        }
        collector.begin(input);
        try {
            Path path = Path.of(input);
            if (!StalledReads.watched(path, () -> Files.isDirectory(path))) {
                readFile(path, null);
                return;
            }
            int before = files;
            readDirectory(path, null, 0);
            if (files == before) {
                problem(path, "contains no files");
            }
        } catch (InvalidPathException e) {
            collector.problem(0, "is not a path");
        } catch (IOException e) {
            collector.problem(0, "cannot be read: " + IoReason.of(e));
        }
    }

    /**
     * Reads all files below a directory, sorted. Symbolic links are not followed, because other users may have created
     * them.
     *
     * @param host the node name for reports that name no node: the outermost subdirectory with a valid node name; null
     *     if there is none
     */
    private void readDirectory(Path directory, @Nullable String host, int depth) {
        for (Path path : sorted(directory)) {
            String name = host != null ? host : nameOf(path);
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                if (depth == MAX_DEPTH) {
                    problem(path, "skipped, because at most " + MAX_DEPTH + " levels of directories are read");
                } else {
                    String node = path.getFileName().toString();
                    readDirectory(path, host != null || !NodeSet.isName(node) ? host : node, depth + 1);
                }
            } else if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                problem(path, "is not a regular file; skipped (symbolic links are not followed)");
            } else if (files == MAX_FILES) {
                problem(
                        path,
                        "skipped, because at most " + MAX_FILES + " files are read; name fewer directories at once");
            } else {
                files++;
                readFile(path, name);
            }
        }
    }

    private List<Path> sorted(Path directory) {
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            entries.forEach(paths::add);
        } catch (DirectoryIteratorException e) {
            IOException cause = e.getCause();
            problem(directory, "cannot be read" + (cause == null ? "" : ": " + IoReason.of(cause)));
        } catch (IOException e) {
            problem(directory, "cannot be read: " + IoReason.of(e));
        }
        Collections.sort(paths);
        return paths;
    }

    private void problem(Path path, String message) {
        collector.begin(path.toString());
        collector.problem(0, message);
    }

    /**
     * Returns the node name in a file's name, as {@code clush --outdir} names files: the name without the endings of
     * known formats. Returns null if the result is not a valid node name.
     */
    private static @Nullable String nameOf(Path file) {
        String name = file.getFileName().toString();
        for (boolean shorter = true; shorter; ) {
            shorter = false;
            for (String ending : ENDINGS) {
                if (name.endsWith(ending)) {
                    name = name.substring(0, name.length() - ending.length());
                    shorter = true;
                }
            }
        }
        return NodeSet.isName(name) ? name : null;
    }

    private void readFile(Path file, @Nullable String fallback) {
        collector.begin(file.toString());
        if (!Files.exists(file)) {
            collector.problem(0, NO_SUCH_FILE);
            return;
        }
        try (InputStream raw = RegularFile.open(file)) {
            if (RegularFile.size(file) > MAX_BYTES) {
                throw new IOException(TOO_LONG);
            }
            read(new BufferedInputStream(raw, BUFFER_SIZE), fallback);
        } catch (UnreadableException e) {
            collector.problem(0, e.reason());
        } catch (IOException e) {
            collector.problem(0, "cannot be read: " + IoReason.of(e));
        }
    }

    private void read(BufferedInputStream raw, @Nullable String fallback) {
        try (InputStream decoded = Streams.decoded(raw, Limits.DEFAULT)) {
            new TextIntake(collector, new LineReader(new LimitedInput(decoded), maxLine), fallback).read();
        } catch (IOException e) {
            collector.problem(0, IoReason.of(e) + "; the rest of this input was not read");
        }
    }

    private static final class LimitedInput extends FilterInputStream {
        private long left = MAX_BYTES;

        LimitedInput(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = in.read(bytes, offset, length);
            left -= Math.max(count, 0);
            if (left < 0) {
                throw new IOException(TOO_LONG);
            }
            return count;
        }
    }

    /** Receives the nodes in the order of the input, after all input was read. Problems may come earlier. */
    public interface NodeVisitor {
        void node(String name, NodeInventory inventory);

        void problem(InputProblem problem);

        /**
         * Receives a remark about text that is not an inventory. The text cannot hide a lost node, because all expected
         * nodes are known.
         */
        default void remark(InputProblem remark) {
            problem(remark);
        }
    }
}
