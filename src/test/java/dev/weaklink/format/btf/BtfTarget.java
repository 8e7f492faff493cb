package dev.weaklink.format.btf;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import dev.weaklink.testing.FuzzTarget;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Types of a kernel, and of a module built with the kernel. */
public final class BtfTarget implements FuzzTarget {
    @Override
    public void take(byte[] bytes) {
        for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
            ByteBuffer section = ByteBuffer.wrap(bytes);
            int first = BtfValidity.firstString(section, order);
            BtfValidity.of(section, null, order, first);
            BtfValidity.of(section, section, order, first);
        }
        try {
            Btf btf = Btf.read(ByteBuffer.wrap(bytes));
            TypeGraph graph = TypeGraph.of(btf);
            TypeGraph.split(Btf.readSplit(ByteBuffer.wrap(bytes), btf), graph);
        } catch (UnreadableException e) {
            // The bytes are not valid BTF.
        }
    }

    @Override
    public List<byte[]> seeds() {
        BtfBuilder builder = new BtfBuilder();
        int number = builder.integer("int", 4);
        int list = builder.struct("list", 8, new Member("next", number, 0, 3));
        builder.union("u", 8, new Member("", builder.array(list, 2), 0));
        builder.typedef("t", builder.enumeration("e", "A", "B"));
        builder.function("f", builder.prototype(0, builder.pointer(builder.constant(list)), 0));
        return List.of(builder.build(ByteOrder.LITTLE_ENDIAN), builder.build(ByteOrder.BIG_ENDIAN));
    }
}
