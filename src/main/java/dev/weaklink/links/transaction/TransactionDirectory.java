package dev.weaklink.links.transaction;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.links.transaction.IndexFiles.IndexSet;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.links.transaction.TransactionRecord.TransactionProgress;
import dev.weaklink.links.transaction.TransactionSettings.FaultPoint;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.FileStatus;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The directory that records one transaction. {@code journal.json} is written once, before the transaction begins.
 * {@code progress.json} is replaced when the transaction reaches a later phase. The directory {@code indexes} contains
 * the previous index files, and {@code files} contains the contents of changed files. Each JSON file is complete or
 * missing. A transaction without {@code journal.json} has not begun.
 */
final class TransactionDirectory {
    private static final String JOURNAL = "journal.json";
    private static final String PROGRESS = "progress.json";

    /** The file that reserves disk space for the last progress entry, in case the disk fills up meanwhile. */
    private static final String RESERVE = "reserve";

    private static final FileAttribute<?> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final int RESERVE_SIZE = 4096;
    private static final int RESERVE_PER_KERNEL = 1024;
    private static final long MAX_SIZE = 64L << 20;

    private final int number;
    private final Path host;
    private final FaultPoint faults;

    TransactionDirectory(int number, Path host, FaultPoint faults) {
        this.number = number;
        this.host = host;
        this.faults = faults;
    }

    int number() {
        return number;
    }

    Path host() {
        return host;
    }

    Path indexes() {
        return host.resolve("indexes");
    }

    interface Content {
        void writeTo(Path file) throws IOException;
    }

    void keep(Map<String, Content> contents) throws IOException {
        if (contents.isEmpty()) {
            return;
        }
        Files.createDirectory(files(), PRIVATE);
        for (Map.Entry<String, Content> content : contents.entrySet()) {
            faults.at("before keeping a file");
            Path file = files().resolve(content.getKey());
            content.getValue().writeTo(file);
            if (!DurableFiles.digest(file).equals(content.getKey())) {
                throw new IOException("another program changed a file while weaklink copied it");
            }
            faults.at("after keeping a file");
        }
        DurableFiles.syncDirectory(files());
        DurableFiles.syncDirectory(host);
    }

    private Path files() {
        return host.resolve("files");
    }

    boolean keeps(PathState.File file) {
        return Files.isDirectory(files(), LinkOption.NOFOLLOW_LINKS)
                && Files.isRegularFile(files().resolve(file.sha256()), LinkOption.NOFOLLOW_LINKS);
    }

    void write(PathState.File file, Path to) throws IOException {
        if (!keeps(file)) {
            throw new IOException("the saved copy of a changed file is missing: " + files().resolve(file.sha256()));
        }
        if (!DurableFiles.copy(files().resolve(file.sha256()), to).equals(file.sha256())) {
            throw new IOException(files().resolve(file.sha256()) + ": damaged");
        }
        DurableFiles.setMode(to, file.mode());
        DurableFiles.sync(to);
    }

    void retainFiles(Set<String> digests) throws IOException {
        for (String name : contents()) {
            if (!digests.contains(name)) {
                DurableFiles.deleteTree(files().resolve(name));
                faults.at("after forgetting a file");
            }
        }
        if (digests.isEmpty()) {
            DurableFiles.deleteTree(files());
        }
    }

    long sizeOfFiles() throws IOException {
        long size = 0;
        for (String name : contents()) {
            Path file = files().resolve(name);
            size += FileStatus.of(file, LinkOption.NOFOLLOW_LINKS).identity().size();
        }
        return size;
    }

    private List<String> contents() {
        boolean isDirectory = Files.isDirectory(files(), LinkOption.NOFOLLOW_LINKS);
        return isDirectory ? RootText.names(files()) : List.of();
    }

    Path work() {
        return host.resolve("depmod");
    }

    /**
     * Returns the transaction's record, or null if the transaction never began.
     *
     * @throws IOException if the journal cannot be read or parsed
     */
    @Nullable
    TransactionRecord record() throws IOException {
        byte[] bytes = read(JOURNAL);
        if (bytes == null) {
            return null;
        }
        TransactionRecord record = JournalFiles.record(bytes);
        if (record.number() != number) {
            throw new IOException("journal of another transaction");
        }
        return record;
    }

    TransactionProgress progress() throws IOException {
        byte[] bytes = read(PROGRESS);
        return bytes == null ? TransactionProgress.BEGUN : JournalFiles.progress(bytes);
    }

    /**
     * Returns whether the transaction is over. Reads only the progress, because the record may be damaged or written by
     * another version.
     */
    boolean isFinished() throws IOException {
        byte[] bytes = read(PROGRESS);
        return bytes != null && JournalFiles.isFinal(bytes);
    }

    void write(TransactionRecord record) throws IOException {
        int kernels = record.kernels().size();
        DurableFiles.create(host.resolve(RESERVE), new byte[RESERVE_SIZE + RESERVE_PER_KERNEL * kernels]);
        replace(JOURNAL, JournalFiles.bytes(record));
    }

    void write(TransactionProgress progress) throws IOException {
        if (progress.phase().isFinal()) {
            Files.deleteIfExists(host.resolve(RESERVE));
        }
        replace(PROGRESS, JournalFiles.bytes(progress));
    }

    private void replace(String name, byte[] content) throws IOException {
        Path fresh = host.resolve(name + ".new");
        faults.at("before writing " + name);
        Files.deleteIfExists(fresh);
        DurableFiles.create(fresh, content);
        faults.at("before renaming " + name);
        DurableFiles.move(fresh, host.resolve(name));
        faults.at("after renaming " + name);
    }

    private byte @Nullable [] read(String name) throws IOException {
        Path file = host.resolve(name);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(name + " is not a regular file");
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.size() > MAX_SIZE) {
                throw new IOException(name + " is too large");
            }
            return Channels.newInputStream(channel).readNBytes((int) MAX_SIZE);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Deletes the saved index files. Undo then runs depmod instead of restoring the files. */
    void forgetIndexes() throws IOException {
        DurableFiles.deleteTree(indexes());
        faults.at("after forgetting index files");
    }

    /** Deletes the transaction, starting with the journal: a directory without a journal is not a transaction. */
    void delete() throws IOException {
        Files.deleteIfExists(host.resolve(JOURNAL));
        faults.at("after deleting a journal");
        DurableFiles.syncDirectory(host);
        DurableFiles.deleteTree(host);
        faults.at("after deleting a transaction");
    }

    /**
     * The JSON format of the journal's two files. Below another root directory, a journal is untrusted input. Any
     * unexpected form is an error, and weaklink checks the content again before each change.
     */
    static final class JournalFiles {
        private static final String RECORD_SCHEMA = "weaklink.transaction/1";
        private static final String PROGRESS_SCHEMA = "weaklink.transaction-progress/1";

        private JournalFiles() {}

        static byte[] bytes(TransactionRecord record) {
            return JsonOutput.line(object(
                    "schema", RECORD_SCHEMA,
                    "number", record.number(),
                    "time", record.time(),
                    "title", record.title(),
                    "undoes", record.undoes(),
                    "group", record.group() == 0 ? null : record.group(),
                    "open", record.open() ? true : null,
                    "kernels", record.kernels(),
                    "restored", record.restored(),
                    "initramfs", record.initramfs(),
                    "changes", list(record.changes(), JournalFiles::change),
                    "installed", record.installed(),
                    "external", record.external().isEmpty() ? null : list(record.external(), JournalFiles::external),
                    "saved", indexes(record.saved())));
        }

        static byte[] bytes(TransactionProgress progress) {
            return JsonOutput.line(object(
                    "schema", PROGRESS_SCHEMA,
                    "phase", progress.phase().name(),
                    "problem", progress.problem(),
                    "initramfsPending", progress.initramfsPending(),
                    "written", indexes(progress.written()),
                    "closed", progress.closed() ? true : null));
        }

        private static Object change(PathChange change) {
            return object(
                    "path", change.path(),
                    "before", state(change.before()),
                    "after", state(change.after()));
        }

        private static Object external(ExternalInstallation external) {
            return object(
                    "run", external.run(),
                    "modules", external.modules(),
                    "removal", external.removal());
        }

        private static @Nullable Object state(PathState state) {
            if (state instanceof PathState.Link link) {
                return link.target();
            }
            if (state instanceof PathState.File file) {
                return object(
                        "sha256", file.sha256(),
                        "mode", file.mode(),
                        "lines", file.lines() == 0 ? null : file.lines());
            }
            return state instanceof PathState.Directory directory ? directory.mode() : null;
        }

        private static Object indexes(List<IndexSet> sets) {
            Map<String, Object> json = object();
            for (IndexSet set : sets) {
                json.put(set.kernel(), set.marks());
            }
            return json;
        }

        static TransactionRecord record(byte[] bytes) throws IOException {
            return read(bytes, RECORD_SCHEMA, TransactionRecord.class, JournalFiles::record);
        }

        static TransactionProgress progress(byte[] bytes) throws IOException {
            return read(bytes, PROGRESS_SCHEMA, TransactionProgress.class, JournalFiles::progress);
        }

        static boolean isFinal(byte[] bytes) {
            try {
                return TransactionProgress.Phase.valueOf(JsonTree.read(bytes).require("phase"))
                        .isFinal();
            } catch (IOException | IllegalArgumentException e) {
                return false;
            }
        }

        /**
         * Reads a Java record; the JSON file may contain no keys other than {@code schema} and the record's components.
         */
        private static <T extends Record> T read(
                byte[] bytes, String schema, Class<T> type, JsonTree.JsonReader<T> maker) throws IOException {
            try {
                JsonTree json = JsonTree.read(bytes);
                if (json.has("schema") && !json.require("schema").equals(schema)) {
                    throw new IOException("written by another version of weaklink");
                }
                Set<String> unknown = new HashSet<>(json.keys());
                unknown.remove("schema");
                for (RecordComponent component : type.getRecordComponents()) {
                    unknown.remove(component.getName());
                }
                if (!unknown.isEmpty()) {
                    throw malformed();
                }
                return maker.make(json);
            } catch (UnreadableException | IllegalArgumentException | DateTimeException e) {
                throw malformed();
            }
        }

        private static TransactionRecord record(JsonTree json) throws UnreadableException {
            int number = json.number("number");
            if (number == 0) {
                throw new UnreadableException("no transaction has this number");
            }
            return new TransactionRecord(
                    number,
                    json.has("time")
                            ? Instant.ofEpochSecond(json.longNumber("time")).getEpochSecond()
                            : 0,
                    json.require("title"),
                    json.numberIfAny("undoes"),
                    json.numberIfAny("group"),
                    json.isTrue("open"),
                    json.textsIfAny("kernels"),
                    json.textsIfAny("restored"),
                    json.textsIfAny("initramfs"),
                    json.list(
                            "changes",
                            one -> new PathChange(one.require("path"), state(one, "before"), state(one, "after"))),
                    json.textsIfAny("installed"),
                    json.listIfAny(
                            "external",
                            one -> new ExternalInstallation(
                                    one.require("run"), one.texts("modules"), one.texts("removal"))),
                    indexes(json, "saved"));
        }

        private static TransactionProgress progress(JsonTree json) throws UnreadableException {
            return new TransactionProgress(
                    json.has("phase")
                            ? TransactionProgress.Phase.valueOf(json.require("phase"))
                            : TransactionProgress.Phase.BEGUN,
                    indexes(json, "written"),
                    json.textsIfAny("initramfsPending"),
                    json.text("problem"),
                    json.isTrue("closed"));
        }

        private static PathState state(JsonTree json, String key) throws UnreadableException {
            if (!json.has(key)) {
                return PathState.ABSENT;
            }
            if (json.hasText(key)) {
                return new PathState.Link(json.require(key));
            }
            if (json.hasObject(key)) {
                JsonTree file = json.object(key);
                return new PathState.File(file.require("sha256"), file.number("mode"), file.numberIfAny("lines"));
            }
            return new PathState.Directory(json.number(key));
        }

        private static List<IndexSet> indexes(JsonTree json, String key) throws UnreadableException {
            List<IndexSet> sets = new ArrayList<>();
            if (!json.has(key)) {
                return sets;
            }
            JsonTree kernels = json.object(key);
            for (String kernel : kernels.keys()) {
                sets.add(new IndexSet(kernel, kernels.object(kernel).allTexts()));
            }
            return sets;
        }

        private static IOException malformed() {
            return new IOException("not a journal of weaklink");
        }
    }
}
