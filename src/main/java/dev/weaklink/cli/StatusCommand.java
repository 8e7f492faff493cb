package dev.weaklink.cli;

import dev.weaklink.check.report.InstallationAdvice;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.plan.CheckedLink.LinkDefect;
import dev.weaklink.report.Format;
import dev.weaklink.report.TableOptions;
import dev.weaklink.status.StatusText;
import dev.weaklink.status.SystemStatus;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class StatusCommand implements Command {
    private static final String INITRAMFS = "--initramfs";

    @Override
    public void declare(CommandSpec spec) {
        spec.usageMessage().description(defects());
        PlanOptions.addKernel(spec);
        Options.addRoot(spec);
        spec.addOption(Options.values("FILE", INITRAMFS));
        OutputForm.addTo(spec, List.of(Format.TABLE, Format.JSON));
        Options.addColor(spec);
        Options.addVerbose(spec);
        TrustOptions.addTo(spec);
        Options.addJobs(spec);
        Options.addNoCache(spec);
    }

    private static String[] defects() {
        Stream<String> defects = Stream.of(LinkDefect.values())
                .map(defect -> defect.id()
                        + CommandText.ITEM
                        + defect.sentence()
                        + (defect.mayBeRemoved() ? " (repair removes it)" : ""));
        return Stream.concat(Stream.of("What can be wrong with a link:"), defects)
                .toArray(String[]::new);
    }

    @Override
    public int run(ParseResult parsed, Console console) throws IOException {
        OutputForm form = OutputForm.of(parsed);
        TableOptions options = form.table(parsed, console, Options.isSet(parsed, Options.VERBOSE));
        PlanRequest request = PlanOptions.request(parsed, console, null);
        List<String> images = Options.texts(parsed, INITRAMFS);
        if (!images.isEmpty() && request.kernels().size() > 1) {
            throw new UsageException(INITRAMFS + " is for one kernel; give --kernel only once");
        }
        SystemStatus status;
        try {
            status = images.isEmpty() ? SystemStatus.of(request) : SystemStatus.of(images, request);
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException e) {
            console.message(IoReason.of(e));
            return ExitCode.UNUSABLE.number();
        }
        request.reading().cache().save();
        console.report(form.format() == Format.JSON ? status.problems() : status.problemsBesidesSafety());
        int code = status.exitCode().number();
        String words = PlanOptions.words(parsed);
        return form.write(
                out -> {
                    if (form.format() == Format.JSON) {
                        StatusText.write(status, out);
                    } else {
                        String text = new StatusText(options, words, advice(status.safety(), request)).render(status);
                        out.write(text.getBytes(StandardCharsets.UTF_8));
                    }
                },
                console,
                code);
    }

    private static Map<String, InstallationAdvice> advice(@Nullable GateReport safety, PlanRequest request)
            throws IOException {
        return safety == null ? Map.of() : InUseCheck.advice(safety, Root.of(request.root()));
    }
}
