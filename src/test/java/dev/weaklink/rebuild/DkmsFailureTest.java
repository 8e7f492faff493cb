package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Diagnosis.Cause;
import java.util.List;
import org.junit.jupiter.api.Test;

class DkmsFailureTest {
    private static final String LOG = "/var/lib/dkms/acme/1.0/build/make.log";

    @Test
    void namesTheKernelThatDkmsFailedOn() {
        assertThat(message("6.1.0-9"))
                .isEqualTo("acme/1.0: DKMS failed on 6.1.0-9 at 02:13: acme.c:7: error: no member");
        assertThat(message("6.1.0-8"))
                .isEqualTo("acme/1.0: DKMS has not built this package for 6.1.0-9, and failed on 6.1.0-8 at 02:13:"
                        + " acme.c:7: error: no member");
    }

    private static String message(String logged) {
        Diagnosis diagnosis = new Diagnosis(Cause.API_CHANGE, "acme.c:7: error: no member", LOG, "");
        return new DkmsFailure("acme/1.0", "6.1.0-9", logged, List.of("acme"), "02:13", LOG, diagnosis)
                .obstacle()
                .message();
    }
}
