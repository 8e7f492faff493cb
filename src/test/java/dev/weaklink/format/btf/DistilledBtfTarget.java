package dev.weaklink.format.btf;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import dev.weaklink.testing.FuzzTarget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Types of a module with a distilled base. The input is the length of the module's section, that section, and the base.
 */
public final class DistilledBtfTarget implements FuzzTarget {
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    @Override
    public void take(byte[] bytes) {
        if (bytes.length < 2) {
            return;
        }
        int length = Math.min(bytes.length - 2, (bytes[0] & 0xff) << 8 | bytes[1] & 0xff);
        ByteBuffer section = ByteBuffer.wrap(bytes, 2, length).slice();
        ByteBuffer base =
                ByteBuffer.wrap(bytes, 2 + length, bytes.length - 2 - length).slice();
        try {
            Btf kernel = Btf.read(ByteBuffer.wrap(kernel().build(ORDER)));
            TypeGraph.split(DistilledBtf.read(section, base, kernel), TypeGraph.of(kernel));
        } catch (UnreadableException e) {
            // The bytes are not valid BTF.
        }
    }

    private static BtfBuilder kernel() {
        BtfBuilder kernel = new BtfBuilder();
        kernel.union("u", 8);
        int number = kernel.integer("int", 4);
        kernel.struct("list", 8, new Member("next", number, 0));
        kernel.enumeration("e", "A", "B");
        return kernel;
    }

    @Override
    public List<byte[]> seeds() {
        BtfBuilder base = new BtfBuilder();
        int number = base.integer("int", 4);
        int list = base.struct("list", 8);
        int union = base.forward("u", true);
        int choice = base.enumeration("e");
        BtfBuilder module = base.split();
        module.struct("own", 16, new Member("list", list, 0), new Member("bits", number, 64, 3));
        module.typedef("t", module.array(choice, 2));
        module.function("f", module.prototype(0, module.pointer(union), 0));
        byte[] section = module.build(ORDER);
        byte[] below = base.build(ORDER);
        ByteBuffer seed = ByteBuffer.allocate(2 + section.length + below.length);
        return List.of(
                seed.putShort((short) section.length).put(section).put(below).array());
    }
}
