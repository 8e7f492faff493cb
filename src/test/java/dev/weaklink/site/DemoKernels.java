package dev.weaklink.site;

import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes a kernel image for {@code src/site/build}: {@code DemoKernels IMAGE RELEASE SYMVERS [WIDER]}. The image
 * exports the symbols of the symvers file and has the types of one function. With a fourth argument, a struct of these
 * types has one more member.
 */
public final class DemoKernels {
    private DemoKernels() {}

    public static void main(String[] arguments) throws IOException {
        KernelSpec typical = KernelSpec.of(Machine.X86_64).released(arguments[1]);
        KernelSpec spec = typical.exporting(exports(Path.of(arguments[2]), typical.exports()));
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        image.write(KernelWriter.raw(spec));
        image.write(types(arguments.length > 3));
        Files.write(Path.of(arguments[0]), image.toByteArray());
    }

    /** Returns the symbols of the file, sorted, with further symbols, because the file has too few for a kernel. */
    private static List<Export> exports(Path symvers, List<Export> others) throws IOException {
        Map<String, Export> exports = new TreeMap<>();
        others.forEach(export -> exports.put(export.name(), export));
        for (String line : Files.readAllLines(symvers)) {
            String[] columns = line.split("\t", -1);
            int crc = Integer.parseUnsignedInt(columns[0].substring(2), 16);
            String name = columns[1];
            exports.put(name, new Export(name, columns[3].endsWith("_GPL"), crc, columns[4]));
        }
        return List.copyOf(exports.values());
    }

    private static byte[] types(boolean wider) {
        BtfBuilder types = new BtfBuilder();
        int number = types.integer("int", 4);
        types.struct("module", 960, new Member("state", number, 0));
        types.struct("modversion_info", 64, new Member("crc", number, 0));
        List<Member> members = new ArrayList<>(List.of(new Member("nr_active", number, 0)));
        if (wider) {
            members.add(new Member("max_active", number, 32));
        }
        int queue = types.struct("workqueue_struct", 4 * members.size(), members.toArray(new Member[0]));
        int name = types.pointer(types.constant(types.integer("char", 1)));
        types.function("alloc_workqueue", types.prototype(types.pointer(queue), name, number, number));
        return types.build(ByteOrder.LITTLE_ENDIAN);
    }
}
