package dev.weaklink.fuzz;

import dev.weaklink.archive.Apk3Target;
import dev.weaklink.archive.CpioTarget;
import dev.weaklink.archive.OciTarget;
import dev.weaklink.archive.PackageTarget;
import dev.weaklink.btf.BtfTarget;
import dev.weaklink.btf.DistilledBtfTarget;
import dev.weaklink.cache.SegmentTarget;
import dev.weaklink.codec.FileTarget;
import dev.weaklink.codec.PayloadTarget;
import dev.weaklink.image.ImageTarget;
import dev.weaklink.initramfs.InitramfsTarget;
import dev.weaklink.intake.IntakeTarget;
import dev.weaklink.kernel.SymversTarget;
import dev.weaklink.links.JournalTarget;
import dev.weaklink.module.ModuleTarget;
import dev.weaklink.rules.yaml.RulesTarget;
import dev.weaklink.signature.CertificateTarget;
import dev.weaklink.signature.MessageTarget;
import dev.weaklink.store.StoreTarget;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.tree.IndexTarget;
import dev.weaklink.userspace.LibraryTarget;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** All readers of other people's files, by the names they go by in a run. */
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
