package dev.weaklink.cli;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.sys.ShellWord;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** What a kernel makes of signatures, and whose it trusts. */
final class TrustOptions {
  private static final String POLICY = "--signature-policy";
  private static final String CERT = "--cert";

  private TrustOptions() {}

  static void addTo(CommandSpec spec) {
    addPolicy(spec);
    addCertificates(
        spec, "those in the kernel's image and, without --root, those enrolled on this machine");
  }

  /** For what many nodes do. */
  static void addForNodes(CommandSpec spec) {
    addPolicy(spec, "what each node reports of itself");
    addCertificates(spec, "those in the kernels' images: nodes may have others enrolled");
  }

  private static void addCertificates(CommandSpec spec, String others) {
    spec.addOption(
        Options.values(
            "FILE",
            "Trust the keys of the certificates in FILE (PEM or DER), in addition to "
                + others
                + ". Can be given several times.",
            CERT));
  }

  static void addPolicy(CommandSpec spec) {
    addPolicy(spec, "what this machine does; with --root, permissive");
  }

  private static void addPolicy(CommandSpec spec, String preset) {
    spec.addOption(
        Options.choice(
            LoaderRule.SIGNATURE_POLICY.choices(),
            "What becomes of a module that is not signed, or with a key the kernel does not know:"
                + " it loads, is refused by module.sig_enforce, or by lockdown. Default: "
                + preset
                + ".",
            POLICY));
  }

  /**
   * The policy that was given, null if none was.
   *
   * @throws UsageException if it is none
   */
  static @Nullable String policy(ParseResult parsed) {
    return Options.text(parsed, POLICY) == null
        ? null
        : Options.word(parsed, POLICY, LoaderRule.SIGNATURE_POLICY.choices());
  }

  /** What was given of them, as it could be typed into a shell. */
  static String words(ParseResult parsed) {
    String policy = policy(parsed);
    StringBuilder words = new StringBuilder(policy == null ? "" : " " + POLICY + " " + policy);
    for (String file : certificates(parsed)) {
      words.append(" ").append(CERT).append(" ").append(ShellWord.of(file));
    }
    return words.toString();
  }

  /** Loader rules set by hand, the policy among them. */
  static Map<LoaderRule, String> loader(ParseResult parsed) {
    Map<LoaderRule, String> loader = LoaderOverrides.parse(parsed);
    String policy = policy(parsed);
    if (policy != null) {
      loader.put(LoaderRule.SIGNATURE_POLICY, policy);
    }
    return loader;
  }

  static List<String> certificates(ParseResult parsed) {
    return Options.texts(parsed, CERT);
  }
}
