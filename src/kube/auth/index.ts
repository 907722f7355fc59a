/** Who asks, and what he may do: certificates, tokens, RBAC, and what a cluster begins with. */
export { type AuthenticatorOptions, createAuthenticator } from './authenticator.ts'
export { bootstrapCluster } from './bootstrap-cluster.ts'
export {
  type CertificateAuthority,
  createCertificateAuthority,
  type KeyedCertificate,
} from './certificates.ts'
export { createEscalationCheck } from './escalation-check.ts'
export { type KubeconfigOptions, kubeconfigOf } from './kubeconfig.ts'
export { createRbacAuthorizer, type RbacAuthorizer } from './rbac-authorizer.ts'
export { API_AUDIENCE, createTokenIssuer, type ServiceAccountTokens } from './tokens.ts'
