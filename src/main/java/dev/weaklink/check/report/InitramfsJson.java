package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.CheckedImage;
import dev.weaklink.check.CheckedModule;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.loader.Verdict;
import java.io.IOException;
import java.io.OutputStream;

/** An initramfs that was looked at, as one JSON object ({@code weaklink.initramfs/1}) on a line. */
public final class InitramfsJson {
  private InitramfsJson() {}

  /** Writes the line. */
  public static void write(CheckedImage image, OutputStream out) throws IOException {
    FindingBytes findings = new FindingBytes();
    JsonOutput.writeLine(
        object(
            "schema", "weaklink.initramfs/1",
            "image", image.path(),
            "kernel", image.kernel(),
            "failure", image.failure(),
            "modules", list(image.modules(), module -> module(module, findings)),
            "toBeRenewed", image.isToBeRenewed(),
            "renewal", renewal(image)),
        out);
  }

  private static Object renewal(CheckedImage image) {
    return object("command", image.renewal().command(), "words", image.renewal().words());
  }

  private static Object module(CheckedModule module, FindingBytes findings) {
    Verdict verdict = module.verdict();
    return object(
        "module", module.name(),
        "path", module.path(),
        "state", module.state().id(),
        "selected", module.selected(),
        "detail", module.detail(),
        "verdict", verdict == null ? null : verdict.outcome().name(),
        "errno", verdict == null ? null : verdict.errno(),
        "findings", verdict == null ? null : findings.of(verdict.findings()));
  }
}
