package dev.weaklink.kernel;

import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.testing.FuzzTarget;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Module.symvers in every layout, configurations, and lists of built-in modules. */
public final class SymversTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        Symvers symvers = SymversReader.read(bytes, bytes.length);
        SymversWriter.write(symvers.exports());
        BuiltInModules.listed(bytes, bytes.length);
        new KernelConfig(bytes, bytes.length);
    }

    @Override
    public List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (SymversBuilder.Layout layout : SymversBuilder.Layout.values()) {
            seeds.add(new SymversBuilder(layout)
                    .kernel("_printk", Kind.EXPORT_SYMBOL, 0x92997ed8)
                    .kernel("fput", Kind.EXPORT_SYMBOL_GPL, 7)
                    .bytes());
        }
        seeds.add("CONFIG_MODVERSIONS=y\n# CONFIG_X is not set\n".getBytes(StandardCharsets.US_ASCII));
        seeds.add("loop.version=1\0ext4.parm=a:b\0".getBytes(StandardCharsets.US_ASCII));
        return seeds;
    }
}
