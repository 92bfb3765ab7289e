package dev.ash.server.egress;

import java.io.IOException;
import javax.net.ssl.SSLException;

/** Connects to the model's API. */
interface ModelDialler {
    Wire dial(ModelAccess model) throws Refusal;

    static ModelDialler of(Dialler dialler, ModelApi api) {
        return model -> {
            var host = model.host();
            try {
                var addresses = dialler.lookUp(host.host());
                return model.tls()
                        ? dialler.connectTls(addresses, host.host(), host.port())
                        : dialler.connect(addresses, host.port());
            } catch (SSLException e) {
                throw new Refusal(
                        502, "Ash: the model's API showed no certificate that this server accepts");
            } catch (IOException e) {
                throw new Refusal(
                        502,
                        "Ash: the model's API cannot be reached; check the server's network and its %s"
                                .formatted(api.urlVariable()));
            }
        };
    }
}
