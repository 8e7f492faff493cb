package dev.weaklink.cli;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.sys.ShellWord;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

final class TrustOptions {
    private static final String POLICY = "--signature-policy";
    private static final String CERT = "--cert";

    private TrustOptions() {}

    static void addTo(CommandSpec spec) {
        spec.addOption(Options.choice(LoaderRule.SIGNATURE_POLICY.choices(), POLICY));
        spec.addOption(Options.values("FILE", CERT));
    }

    static @Nullable String policy(ParseResult parsed) {
        return Options.text(parsed, POLICY) == null
                ? null
                : Options.word(parsed, POLICY, LoaderRule.SIGNATURE_POLICY.choices());
    }

    static String words(ParseResult parsed) {
        String policy = policy(parsed);
        StringBuilder words = new StringBuilder(policy == null ? "" : " " + POLICY + " " + policy);
        for (String file : certificates(parsed)) {
            words.append(" ").append(CERT).append(" ").append(ShellWord.of(file));
        }
        return words.toString();
    }

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
