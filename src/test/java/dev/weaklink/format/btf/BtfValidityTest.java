package dev.weaklink.format.btf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.btf.BtfValidity.BtfAnswer;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Expects the answers of a booted 7.2.13; the conformance runs damage the BTF of its modules. */
class BtfValidityTest {
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final int FIRST = strings(kernel());

    private static BtfBuilder kernel() {
        BtfBuilder kernel = new BtfBuilder();
        kernel.integer("int", 4);
        return kernel;
    }

    private static int strings(BtfBuilder builder) {
        return ByteBuffer.wrap(builder.build(ORDER)).order(ORDER).getInt(20);
    }

    /**
     * Returns an enum with ten values, a struct and a typedef: enough names to find the start of the module's strings.
     */
    private static BtfBuilder module() {
        BtfBuilder module = kernel().split();
        int choice = module.enumeration("choice", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J");
        int own = module.struct("own", 8, new Member("a", 1, 0), new Member("b", choice, 32));
        module.typedef("own_t", own);
        return module;
    }

    private static BtfAnswer of(byte[] section, int firstString) {
        return BtfValidity.of(ByteBuffer.wrap(section), null, ORDER, firstString);
    }

    private static BtfAnswer of(BtfBuilder builder) {
        return of(builder.build(ORDER), FIRST);
    }

    @Test
    void acceptsTheBtfOfABuild() {
        byte[] big = module().build(ByteOrder.BIG_ENDIAN);

        assertThat(of(module())).isEqualTo(BtfAnswer.ACCEPTED);
        assertThat(of(module().build(ORDER), -1)).isEqualTo(BtfAnswer.ACCEPTED);
        assertThat(BtfValidity.of(ByteBuffer.wrap(big), null, ByteOrder.BIG_ENDIAN, FIRST))
                .isEqualTo(BtfAnswer.ACCEPTED);
        assertThat(of(big, FIRST)).isEqualTo(BtfAnswer.EINVAL);
        assertThat(of(new byte[0], FIRST)).isEqualTo(BtfAnswer.ACCEPTED);
    }

    /** Tests btf_parse_hdr. If the longer header of 7.2 makes a difference, the answer is unclear. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, EINVAL",
        "2, 2, ENOTSUPP",
        "3, 1, ENOTSUPP",
        "4, 7, EINVAL",
        "4, 60, E2BIG",
        "4, 32, UNCLEAR",
        "5, 1, EINVAL",
        "8, 4, EINVAL",
        "12, 4, EINVAL",
        "16, 0, EINVAL",
        "20, 1, EINVAL",
    })
    void headers(int at, int value, BtfAnswer answer) {
        byte[] section = module().build(ORDER);
        section[at] = (byte) value;

        assertThat(of(section, FIRST)).isEqualTo(answer);
    }

    @Test
    void refusesTruncatedSections() {
        byte[] section = module().build(ORDER);
        section[section.length - 1] = 'x';

        assertThat(of(section, FIRST)).isEqualTo(BtfAnswer.EINVAL);
        assertThat(of(new byte[7], FIRST)).isEqualTo(BtfAnswer.EINVAL);
    }

    /**
     * Tests the check_meta function of each kind; the columns are kind, members, size or type, and the words behind
     * them.
     */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "1, int, 0, 4, 32, -, -, ACCEPTED",
                "1, int, 0, 4, 33, -, -, EINVAL",
                "1, int, 1, 4, 32, -, -, EINVAL",
                "1, int, 0, 4, 0x10000020, -, -, EINVAL",
                "1, int, 0, 4, 0x03000020, -, -, ENOTSUPP",
                "2, '', 0, 0xfffff, -, -, -, ACCEPTED",
                "2, '', 0, 0x100000, -, -, -, EINVAL",
                "2, p, 0, 1, -, -, -, EINVAL",
                "3, '', 0, 0, 1, 1, 5, ACCEPTED",
                "3, '', 0, 0, 0, 1, 5, EINVAL",
                "3, '', 0, 4, 1, 1, 5, EINVAL",
                "4, s, 1, 4, 0, 1, 32, ACCEPTED",
                "4, s, 1, 4, 0, 1, 33, EINVAL",
                "4, s, 1, 4, 0, 0, 0, EINVAL",
                "4, s, 2, 4, 0, 1, 0, EINVAL",
                "4, 9s, 0, 4, -, -, -, EINVAL",
                "5, u, 1, 4, 0, 1, 8, EINVAL",
                "6, e, 0, 3, -, -, -, EINVAL",
                "6, e, 1, 4, 0, 1, -, EINVAL",
                "7, f, 0, 0, -, -, -, ACCEPTED",
                "7, '', 0, 0, -, -, -, EINVAL",
                "8, t, 0, 1, -, -, -, ACCEPTED",
                "8, t?, 0, 1, -, -, -, EINVAL",
                "10, '', 0, 1, -, -, -, ACCEPTED",
                "12, f, 2, 1, -, -, -, ACCEPTED",
                "12, f, 3, 1, -, -, -, EINVAL",
                "13, p, 0, 1, -, -, -, EINVAL",
                "14, v, 0, 1, 1, -, -, ACCEPTED",
                "14, v, 0, 1, 2, -, -, EINVAL",
                "14, v, 0, 0, 1, -, -, EINVAL",
                "15, .data, 1, 8, 1, 4, 4, ACCEPTED",
                "15, .data, 1, 8, 1, 4, 5, EINVAL",
                "15, .data, 0, 0, -, -, -, EINVAL",
                "16, f, 0, 8, -, -, -, ACCEPTED",
                "16, f, 0, 6, -, -, -, EINVAL",
                "17, tag 1, 0, 1, -1, -, -, ACCEPTED",
                "17, tag 1, 0, 1, -2, -, -, EINVAL",
                "18, user, 0, 1, -, -, -, ACCEPTED",
                "18, '', 0, 1, -, -, -, EINVAL",
                "19, e, 0, 8, -, -, -, ACCEPTED",
                "19, e, 0, 16, -, -, -, EINVAL",
                "20, '', 0, 0, -, -, -, UNCLEAR",
                "40, '', 0, 0, -, -, -, EINVAL",
                "0, '', 0, 0, -, -, -, EINVAL",
            })
    void kinds(
            int kind,
            String name,
            int members,
            String word,
            String first,
            String second,
            String third,
            BtfAnswer answer) {
        int[] rest = Stream.of(first, second, third)
                .filter(Objects::nonNull)
                .mapToInt(Integer::decode)
                .toArray();
        BtfBuilder module = module();
        module.raw(kind, name, members, Integer.decode(word), rest);

        assertThat(of(module)).isEqualTo(answer);
    }

    /** Uses more members than kernels up to 7.1 support; 7.2 supports them. */
    @Test
    void isUnclearAboutMoreMembersThanOlderKernelsSupport() {
        BtfBuilder module = module();
        module.raw(4, "s", 0x10000, 4, new int[0x10000 * 3]);

        assertThat(of(module)).isEqualTo(BtfAnswer.EINVAL);

        module = module();
        int[] members = new int[0x10000 * 3];
        for (int i = 1; i < members.length; i += 3) {
            members[i] = 1;
        }
        module.raw(4, "s", 0x10000, 4, members);

        assertThat(of(module)).isEqualTo(BtfAnswer.UNCLEAR);
    }

    @Test
    void checksNamesIfTheirStartIsKnown() {
        byte[] section = module().build(ORDER);
        section[section.length - 3] = (byte) 0x8e;

        assertThat(of(section, FIRST)).isEqualTo(BtfAnswer.EINVAL);
        assertThat(of(section, -1)).isEqualTo(BtfAnswer.ACCEPTED);

        section = module().build(ORDER);
        section[24 + 1] = 0x40;

        assertThat(of(section, FIRST)).isEqualTo(BtfAnswer.EINVAL);
        assertThat(of(section, -1)).isEqualTo(BtfAnswer.ACCEPTED);

        section[24 + 3] = 1;

        assertThat(of(section, -1)).isEqualTo(BtfAnswer.EINVAL);
    }

    @Test
    void findsTheStartOfNames() {
        byte[] section = module().build(ORDER);

        assertThat(BtfValidity.firstString(ByteBuffer.wrap(section), ORDER)).isEqualTo(FIRST);

        section[24]++;

        assertThat(BtfValidity.firstString(ByteBuffer.wrap(section), ORDER)).isEqualTo(-1);
        assertThat(BtfValidity.firstString(ByteBuffer.wrap(new byte[3]), ORDER)).isEqualTo(-1);
    }

    @Test
    void checksAModulesOwnBaseFirst() {
        byte[] base = kernel().build(ORDER);
        ByteBuffer section = ByteBuffer.wrap(module().build(ORDER));

        assertThat(BtfValidity.of(section, ByteBuffer.wrap(base), ORDER, 5)).isEqualTo(BtfAnswer.ACCEPTED);

        base[2] = 7;

        assertThat(BtfValidity.of(section, ByteBuffer.wrap(base), ORDER, 5)).isEqualTo(BtfAnswer.ENOTSUPP);
    }

    @Test
    void answersForAnyBytes() {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            byte[] section = module().build(ORDER);
            section[random.nextInt(section.length)] = (byte) random.nextInt();
            section[random.nextInt(section.length)] ^= (byte) (1 << random.nextInt(8));

            assertThat(of(section, FIRST)).isNotNull();
            BtfValidity.firstString(ByteBuffer.wrap(section), ORDER);
        }
    }
}
