package dev.weaklink.cli;

import dev.weaklink.audit.AuditPlan;
import dev.weaklink.audit.ModuleSet;
import dev.weaklink.audit.NodeGroups;
import dev.weaklink.audit.Nodes;
import dev.weaklink.check.AuditJudge;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.intake.NodeInventory;
import dev.weaklink.intake.NodeInventory.Kernel;
import dev.weaklink.intake.NodeInventory.Module;
import dev.weaklink.intake.NodeWriter;
import dev.weaklink.intake.ReportedTable;
import dev.weaklink.report.AuditPlanFile;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.ReplacedFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code weaklink audit plan}: an audit as parts that other machines judge. */
final class AuditPlanCommand implements Command {
  private static final String PARTS = "--parts";
  private static final String DIRECTORY = "--directory";
  private static final int MAX_PARTS = 10_000;

  /** The file of a plan that has the nodes. */
  static final String NODES = "nodes.ndjson";

  @Override
  public void declare(CommandSpec spec) {
    AuditOptions.addInputs(spec);
    spec.addOption(Options.value("N", PARTS));
    spec.addOption(Options.value("DIR", DIRECTORY));
  }

  @Override
  public int run(ParseResult parsed, Console console, Services services) throws IOException {
    int wanted = parts(parsed);
    Path directory = directory(parsed);
    List<String> kernels = AuditKernels.request(parsed, console).kernels();
    if (kernels.isEmpty()) {
      throw new UsageException("name the kernels to judge on with --kernel");
    }
    GatheredNodes nodes = GatheredNodes.read(parsed, console);
    List<ModuleSet> sets = nodes.census().sets();
    if (sets.isEmpty()) {
      console.message("no node was found");
      return ExitCode.UNUSABLE.number();
    }
    boolean byKernels = parsed.hasMatchedOption(CheckCommand.EXPLAIN);
    List<AuditPlan.Part> parts =
        AuditPlan.of(sets.size(), AuditJudge.groups(kernels), wanted, byKernels);
    String digest = digest(AuditKernels.words(parsed, kernels), parts, nodes);
    try {
      Files.createDirectories(directory);
      writeNodes(directory, digest, parts.size(), nodes);
      for (AuditPlan.Part part : parts) {
        List<String> options = AuditKernels.words(parsed, part.kernels());
        AuditPlanFile head =
            new AuditPlanFile(
                digest, part.index(), parts.size(), part.to() - part.from(), options, 0, List.of());
        ReplacedFile.write(
            directory.resolve("part-" + part.index() + ".ndjson"),
            out -> write(head, part, nodes, out));
      }
    } catch (IOException e) {
      console.message(directory + ": the plan cannot be written: " + IoReason.of(e));
      return ExitCode.UNUSABLE.number();
    }
    String line =
        Numbers.of(parts.size(), "part")
            + " in "
            + directory
            + ": "
            + Numbers.of(sets.size(), "set")
            + " of modules, "
            + Numbers.of(kernels.size(), "kernel")
            + "\n";
    console.print(line);
    return ExitCode.COMPATIBLE.number();
  }

  private static int parts(ParseResult parsed) {
    String given = Options.text(parsed, PARTS);
    try {
      int parts = given == null ? 16 : Integer.parseInt(given);
      if (parts >= 1 && parts <= MAX_PARTS) {
        return parts;
      }
    } catch (NumberFormatException e) {
      // the same to the one who typed it
    }
    throw new UsageException(PARTS + " takes a number from 1 to " + MAX_PARTS);
  }

  private static Path directory(ParseResult parsed) throws IOException {
    String name = Options.text(parsed, DIRECTORY);
    if (name == null) {
      throw new UsageException("name the directory for the plan with " + DIRECTORY + " DIR");
    }
    try {
      Path directory = Path.of(name);
      if (!Files.exists(directory)) {
        return directory;
      }
      if (Files.isDirectory(directory)) {
        try (var files = Files.list(directory)) {
          if (files.findAny().isEmpty()) {
            return directory;
          }
        }
      }
    } catch (InvalidPathException e) {
      // not the name of a directory
    }
    throw new UsageException(DIRECTORY + " " + name + ": is not an empty directory");
  }

  /** Of all that results rest on. */
  private static String digest(
      List<String> options, List<AuditPlan.Part> parts, GatheredNodes nodes) {
    List<@Nullable String> texts = new ArrayList<>(options);
    texts.add(parts.toString());
    for (ModuleSet set : nodes.census().sets()) {
      texts.addAll(List.of(set.kernel(), set.digest(), set.policy().id()));
      for (Module module : set.modules()) {
        ReportedTable table = nodes.tables().find(module.digest());
        texts.add(table == null ? null : table.digest());
      }
    }
    return ModuleSet.digestOf(texts);
  }

  /** As clush -b prints them. */
  private static void writeNodes(Path directory, String digest, int parts, GatheredNodes nodes)
      throws IOException {
    List<NodeGroups.Kind> all = nodes.census().kinds();
    AuditPlanFile head =
        new AuditPlanFile(
            digest, 0, parts, all.size(), List.of(), nodes.problems(), nodes.missing());
    ReplacedFile.write(
        directory.resolve(NODES),
        out -> {
          head.write(out);
          for (NodeGroups.Kind alike : all) {
            String rule = "-".repeat(15) + '\n';
            String heading = rule + Nodes.of(alike.names()).folded() + '\n' + rule;
            out.write(heading.getBytes(StandardCharsets.US_ASCII));
            NodeWriter.write(null, alike.inventory(), null, out);
          }
        });
  }

  private static void write(
      AuditPlanFile head, AuditPlan.Part part, GatheredNodes nodes, OutputStream out)
      throws IOException {
    head.write(out);
    List<ModuleSet> sets = nodes.census().sets();
    for (int place = part.from(); place < part.to(); place++) {
      NodeWriter.write(Integer.toString(place), asNode(sets.get(place)), nodes.tables(), out);
    }
  }

  /** A node that has one set and nothing else. */
  private static NodeInventory asNode(ModuleSet set) {
    return NodeInventory.of(new Kernel(set.kernel(), true), set.modules(), set.policy());
  }
}
