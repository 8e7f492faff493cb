package dev.weaklink.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KernelReleaseOrderTest {
    private static final KernelReleaseOrder ORDER = KernelReleaseOrder.INSTANCE;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "6.1.0-9-amd64 6.1.0-50-amd64 6.1.0-53-amd64 6.12.9+deb12-amd64 6.12.100+deb12-amd64",
                "3.10.0-1160.el7.x86_64 4.18.0-553.el8_10.x86_64 5.14.0-70.13.1.el9_0.x86_64"
                        + " 5.14.0-70.30.1.el9_0.x86_64 5.14.0-362.8.1.el9_3.x86_64 5.14.0-570.el9.x86_64",
                "6.4.0-150600.21-default 6.4.0-150600.23.7-default 6.4.0-150700.51-default",
                "6.13.0-rc1 6.13.0-rc2 6.13.0-rc10 6.13.0 6.13.0-1-amd64 6.13.1-rc1 6.13.1",
                "6.12~rc6-amd64 6.12-amd64 6.12.1-amd64",
                "6.13.0-0.rc6.49.fc42.x86_64 6.13.0-0.rc7.57.fc42.x86_64 6.13.0-200.fc41.x86_64",
                "5.15.0-9-generic 5.15.0-91-generic 5.15.0-105-generic 6.8.0-31-generic",
                "5.9 5.10 5.10.1 6",
                "1.99999999999999999999 1.100000000000000000000",
                "6.1.0-56-amd64 6.1.0-56-cloud-amd64 6.1.0-56-rt-amd64",
                "6.1.el9 6.1.1",
            })
    void sortsFromOldToNew(String sorted) {
        List<String> expected = List.of(sorted.split(" "));
        List<String> shuffled = new ArrayList<>(expected);
        Collections.shuffle(shuffled, new Random(1));
        shuffled.sort(ORDER);
        assertThat(shuffled).isEqualTo(expected);
    }

    @Property
    void isATotalOrder(@ForAll("releases") String a, @ForAll("releases") String b, @ForAll("releases") String c) {
        int ab = Integer.signum(ORDER.compare(a, b));
        assertThat(Integer.signum(ORDER.compare(b, a))).isEqualTo(-ab);
        assertThat(ab == 0).isEqualTo(a.equals(b));
        if (ab <= 0 && ORDER.compare(b, c) <= 0) {
            assertThat(ORDER.compare(a, c)).isLessThanOrEqualTo(0);
        }
    }

    @Provide
    Arbitrary<String> releases() {
        return Arbitraries.of("1", "01", "10", "a", "rc", "rc1", ".", "-", "~", "+", "é")
                .list()
                .ofMaxSize(5)
                .map(parts -> String.join("", parts));
    }
}
