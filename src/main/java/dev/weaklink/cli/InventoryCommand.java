package dev.weaklink.cli;

import dev.weaklink.check.result.ExitCode;
import dev.weaklink.check.userspace.UserspaceCheck;
import dev.weaklink.fleet.RdmaLibraries;
import dev.weaklink.fleet.intake.NodeInventory.Userspace;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.ShippedText;
import dev.weaklink.system.DatabaseCopy;
import dev.weaklink.system.RpmDatabase;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * {@code weaklink inventory}: writes the inventory of a system or image for an audit. Runs the same script that nodes
 * run, and adds the defects of RDMA libraries to the script's output.
 */
final class InventoryCommand implements Command {
    private static final String NAME = "--name";
    private static final String NO_NAME = "--no-name";
    private static final String FULL = "--full";
    private static final String SCRIPT = "weaklink-collect";
    private static final byte[] END = {'}', '\n'};

    /** The directories with kmod's programs, which a user's PATH may lack. */
    private static final String SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

    @Override
    public void declare(CommandSpec spec) {
        Options.addRoot(spec);
        OutputFile.addTo(spec);
        spec.addOption(Options.value("NAME", NAME));
        spec.addOption(Options.flag(NO_NAME));
        spec.addOption(Options.flag(FULL));
        // The command no longer uses threads, but scripts may still pass the option.
        spec.addOption(
                Options.value("N", "-j", "--jobs").toBuilder().hidden(true).build());
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        List<String> options = new ArrayList<>();
        String name = Options.text(parsed, NAME);
        if (name != null) {
            options.add(NAME + "=" + name);
        }
        if (Options.isSet(parsed, NO_NAME)) {
            if (name != null) {
                throw new UsageException(NAME + " and " + NO_NAME + " exclude each other");
            }
            options.add(NO_NAME);
        }
        if (Options.isSet(parsed, FULL)) {
            options.add(FULL);
        }
        OutputFile file = OutputFile.of(parsed);
        int[] status = {ExitCode.UNUSABLE.number()};
        boolean written = file.write(out -> status[0] = collect(options, parsed, out, console), console);
        return written ? status[0] : ExitCode.UNUSABLE.number();
    }

    private static int collect(List<String> options, ParseResult parsed, OutputStream out, Console console)
            throws IOException {
        Path directory = Options.root(parsed);
        if (directory == null) {
            return collect(options, Root.HOST, out, console);
        }
        Root root = Root.of(directory);
        if (root.isHost()) {
            return collect(options, root, out, console);
        }
        options.add("--root=" + root.top());
        try (DatabaseCopy packages = packages(root, console)) {
            if (packages != null) {
                options.add("--rpmdb=" + packages.directory());
            }
            return collect(options, root, out, console);
        }
    }

    private static @Nullable DatabaseCopy packages(Root root, Console console) {
        try {
            RpmDatabase database = RpmDatabase.find(root);
            return database == null ? null : database.copy();
        } catch (IOException e) {
            console.message("packages of " + root.top() + " cannot be read: " + IoReason.of(e));
            return null;
        }
    }

    /** Runs the script, which the shell receives as an argument, so that no file is written for it. */
    private static int collect(List<String> options, Root root, OutputStream out, Console console) throws IOException {
        List<String> words = new ArrayList<>(List.of("sh", "-c", ShippedText.of("/" + SCRIPT), SCRIPT));
        words.addAll(options);
        ProcessBuilder shell = new ProcessBuilder(words)
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        shell.environment().merge("PATH", SYSTEM_PATH, (path, system) -> path + ":" + system);
        Process running;
        try {
            running = shell.start();
        } catch (IOException e) {
            console.message("sh: cannot be run; 'weaklink inventory' needs sh in PATH");
            return ExitCode.UNUSABLE.number();
        }
        try (InputStream line = running.getInputStream()) {
            copy(line, userspace(root), out);
            int status = running.waitFor();
            return status == 0 ? ExitCode.COMPATIBLE.number() : ExitCode.UNUSABLE.number();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + SCRIPT, e);
        } finally {
            running.destroy();
        }
    }

    private static Map<String, Object> userspace(Userspace userspace) {
        return JsonOutput.object(
                "library", userspace.library(),
                "findings",
                        JsonOutput.list(
                                userspace.findings(),
                                one -> JsonOutput.object(
                                        "id", one.id(),
                                        "subject", one.subject(),
                                        "detail", one.detail(),
                                        "packages", one.packages().isEmpty() ? null : one.packages())));
    }

    private static byte[] userspace(Root root) {
        Object found = userspace(RdmaLibraries.reported(UserspaceCheck.of(root)));
        byte[] object = JsonOutput.line(JsonOutput.object("userspace", found));
        object[0] = ',';
        return object;
    }

    /**
     * Copies a line of JSON and replaces its closing brace by further keys, which begin with a comma. A truncated line
     * is copied unchanged.
     */
    private static void copy(InputStream line, byte[] keys, OutputStream out) throws IOException {
        byte[] buffer = new byte[1 << 16];
        int held = 0;
        int read = line.read(buffer);
        while (read >= 0) {
            int length = held + read;
            held = Math.min(END.length, length);
            out.write(buffer, 0, length - held);
            System.arraycopy(buffer, length - held, buffer, 0, held);
            read = line.read(buffer, held, buffer.length - held);
        }
        boolean ends = Arrays.equals(buffer, 0, held, END, 0, END.length);
        out.write(ends ? keys : buffer, 0, ends ? keys.length : held);
    }
}
