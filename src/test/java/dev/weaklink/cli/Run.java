package dev.weaklink.cli;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.RefusalExplainer;
import dev.weaklink.check.SingleModule;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.RuntimeNames;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The program with a checker that returns a prepared report. All output is captured. */
final class Run implements Terminal {
    final List<CheckRequest> requests = new ArrayList<>();
    final Map<String, String> environment = new HashMap<>();
    private final @Nullable CheckReport answer;
    private final Map<String, KernelModule> modules = new HashMap<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private @Nullable OutputStream otherOut;
    private boolean stdoutIsTerminal;

    /**
     * Creates a run.
     *
     * @param answer the report that the checker returns; null for a checker that throws
     */
    Run(@Nullable CheckReport answer) {
        environment.put("WEAKLINK_CACHE", "off");
        this.answer = answer;
    }

    Run onTerminal() {
        stdoutIsTerminal = true;
        return this;
    }

    Run withModule(String argument, KernelModule module) {
        modules.put(argument, module);
        return this;
    }

    Run writingTo(OutputStream target) {
        otherOut = target;
        return this;
    }

    int with(String... arguments) {
        Console console = new Console(
                new ByteArrayInputStream(new byte[0]),
                otherOut != null ? otherOut : out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                environment,
                this);
        return new Weaklink(console, this::command).run(arguments);
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private Command command(String name) {
        return switch (name) {
            case "check" ->
                new CheckCommand(
                        (request, progress) -> check(request),
                        new InUseCheck(RefusalExplainer::new),
                        new LibraryCheck(),
                        RefusalExplainer::new);
            case "inspect" -> new InspectCommand((root, argument) -> inspected(argument), new ImageInspection());
            default -> CommandTree.command(name);
        };
    }

    private CheckReport check(CheckRequest request) {
        requests.add(request);
        if (answer == null) {
            throw new IllegalStateException("no answer");
        }
        return answer;
    }

    private List<SingleModule.Inspected> inspected(String argument) throws NoSuchFileException {
        KernelModule module = modules.get(argument);
        if (module == null) {
            throw new NoSuchFileException(argument + ": no such module");
        }
        return List.of(new SingleModule.Inspected(module, RuntimeNames.NONE));
    }

    @Override
    public boolean isTerminal(int fd) {
        return fd == Console.STDOUT && stdoutIsTerminal;
    }

    @Override
    public int columns() {
        return 100;
    }
}
