/* A stand-in for libcrypto that encrypts nothing: it says that it has failed. */
int OPENSSL_init_crypto(void) { return 1; }
const void *EVP_aes_128_gcm(void) { return "AES-128-GCM"; }
void *EVP_CIPHER_CTX_new(void) {
    static char context;
    return &context;
}
void EVP_CIPHER_CTX_free(void *context) { (void)context; }
int EVP_CipherInit_ex(void) { return 1; }
int EVP_CipherUpdate(void) { return 0; }
int EVP_CipherFinal_ex(void) { return 1; }
int EVP_CIPHER_CTX_ctrl(void) { return 1; }
