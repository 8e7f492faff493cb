package dev.weaklink.kernel.image;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.BuiltInModules;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.kernel.LoaderTraces;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a kernel's image says. Immutable.
 *
 * @param format what kind of file it is
 * @param compression how the kernel is packed in it, null if it is not
 * @param machine what it runs on, null if unknown
 * @param release its release (uname -r)
 * @param banner the line it starts its log with
 * @param vermagic what it compares a module's vermagic with, null if not found
 * @param config the configuration that is built into it (CONFIG_IKCONFIG), null without it
 * @param structModuleSize bytes of its struct module by its BTF, -1 if not known
 * @param exports what vmlinux exports; null if the tables were not found
 * @param layout how its export tables are laid out, null if they were not found
 * @param named whether the tables were found by the names of sections, else by what is in them
 * @param hasCrcs whether the exports have CRCs
 * @param missing why there are no exports to rely on; null if there are
 * @param traces what it shows of its module loader
 * @param builtIn names in /sys/module of what is built in
 * @param types its BTF, null if it has none; a view of the unpacked kernel
 */
public record KernelImage(
    ImageFormat format,
    @Nullable Compression compression,
    @Nullable ElfIdentity machine,
    String release,
    String banner,
    @Nullable String vermagic,
    @Nullable KernelConfig config,
    long structModuleSize,
    @Nullable ExportTable exports,
    @Nullable EntryLayout layout,
    boolean named,
    boolean hasCrcs,
    @Nullable String missing,
    LoaderTraces traces,
    BuiltInModules builtIn,
    @Nullable ByteBuffer types) {

  /** Its types and exports, copied, so that what was unpacked does not stay in memory. */
  public ImageTypes imageTypes() {
    ByteBuffer copy =
        types == null ? null : ByteBuffer.allocate(types.remaining()).put(types.duplicate()).flip();
    return new ImageTypes(release, copy, exports);
  }
}
