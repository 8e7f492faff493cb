package dev.weaklink.check;

import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderBehavior.Setting;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The signature policy of a machine's running kernel (the parameter sig_enforce of kernel/module/signing.c,
 * security/lockdown/lockdown.c).
 *
 * @param policy a value of {@link LoaderRule#SIGNATURE_POLICY}
 * @param evidence the source of the policy in words, such as a file
 * @param release the running kernel's release, null if unknown
 */
record MachinePolicy(
        String policy, String evidence, @Nullable String release) {
    private static final String ENFORCE = "/sys/module/module/parameters/sig_enforce";
    private static final String LOCKDOWN = "/sys/kernel/security/lockdown";
    private static final int MOST = 256;

    /**
     * Reads the policy of the machine.
     *
     * @param root the root directory of the running system
     * @return null if the machine shows no policy
     */
    static @Nullable MachinePolicy read(Root root) {
        String enforce = line(root, ENFORCE);
        String lockdown = line(root, LOCKDOWN);
        String release = line(root, RootText.OSRELEASE);
        if (enforce != null && enforce.startsWith("Y")) {
            return new MachinePolicy("enforced", ENFORCE, release);
        }
        if (lockdown != null && (lockdown.contains("[integrity]") || isConfidential(lockdown))) {
            return new MachinePolicy("lockdown", LOCKDOWN, release);
        }
        return enforce == null && lockdown == null
                ? null
                : new MachinePolicy("permissive", lockdown == null ? ENFORCE : LOCKDOWN, release);
    }

    private static boolean isConfidential(String lockdown) {
        return lockdown.contains("[confidentiality]");
    }

    /**
     * Returns the rules with this policy; if the kernel's own policy is known, returns the rules unchanged. If the
     * kernel is not the running one, marks the policy as assumed.
     */
    LoaderBehavior applied(LoaderBehavior rules, @Nullable String kernel) {
        Setting setting = rules.setting(LoaderRule.SIGNATURE_POLICY);
        if (!setting.assumed()) {
            return rules;
        }
        boolean running = kernel != null && kernel.equals(release);
        String words = running || release == null ? evidence : evidence + " of the running kernel";
        return rules.with(LoaderRule.SIGNATURE_POLICY, new Setting(policy, !running, words));
    }

    private static @Nullable String line(Root root, String inside) {
        try {
            Path file = root.resolve(inside);
            if (!Files.isRegularFile(file)) {
                return null;
            }
            try (InputStream in = Files.newInputStream(file)) {
                return new String(in.readNBytes(MOST), StandardCharsets.US_ASCII).strip();
            }
        } catch (IOException e) {
            return null;
        }
    }
}
