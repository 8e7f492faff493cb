package dev.weaklink.fuzz;

import dev.weaklink.check.userspace.LibraryTarget;
import dev.weaklink.fleet.intake.IntakeTarget;
import dev.weaklink.format.archive.Apk3Target;
import dev.weaklink.format.archive.CpioTarget;
import dev.weaklink.format.archive.OciTarget;
import dev.weaklink.format.archive.PackageTarget;
import dev.weaklink.format.btf.BtfTarget;
import dev.weaklink.format.btf.DistilledBtfTarget;
import dev.weaklink.format.codec.FileTarget;
import dev.weaklink.format.codec.PayloadTarget;
import dev.weaklink.kernel.SymversTarget;
import dev.weaklink.kernel.image.ImageTarget;
import dev.weaklink.kernel.store.StoreTarget;
import dev.weaklink.links.transaction.JournalTarget;
import dev.weaklink.module.ModuleTarget;
import dev.weaklink.module.signature.CertificateTarget;
import dev.weaklink.module.signature.MessageTarget;
import dev.weaklink.rules.yaml.RulesTarget;
import dev.weaklink.system.IndexTarget;
import dev.weaklink.system.cache.SegmentTarget;
import dev.weaklink.system.initramfs.InitramfsTarget;
import dev.weaklink.testing.FuzzTarget;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The readers of files from other parties, by the names that select them in a fuzzing run. */
final class FuzzTargets {
    static final Map<String, Supplier<FuzzTarget>> ALL = new TreeMap<>();

    static {
        ALL.put("apk", Apk3Target::new);
        ALL.put("btf", BtfTarget::new);
        ALL.put("btf-base", DistilledBtfTarget::new);
        ALL.put("certificate", CertificateTarget::new);
        ALL.put("cpio", CpioTarget::new);
        ALL.put("file", FileTarget::new);
        ALL.put("image", ImageTarget::new);
        ALL.put("index", IndexTarget::new);
        ALL.put("initramfs", InitramfsTarget::new);
        ALL.put("intake", IntakeTarget::new);
        ALL.put("journal", JournalTarget::new);
        ALL.put("library", LibraryTarget::new);
        ALL.put("message", MessageTarget::new);
        ALL.put("module", ModuleTarget::new);
        ALL.put("oci", OciTarget::new);
        ALL.put("package", PackageTarget::new);
        ALL.put("payload", PayloadTarget::new);
        ALL.put("rules", RulesTarget::new);
        ALL.put("segment", SegmentTarget::new);
        ALL.put("store", StoreTarget::new);
        ALL.put("symvers", SymversTarget::new);
    }

    private FuzzTargets() {}
}
