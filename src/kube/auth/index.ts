/** Who asks, and what is allowed: certificates, tokens, RBAC, and what a cluster begins with. */
export { createAuthenticator } from './authenticator.ts'
export { bootstrapCluster } from './bootstrap-cluster.ts'
export { createCertificateAuthority } from './certificates.ts'
export { createEscalationCheck } from './escalation-check.ts'
export { kubeconfigOf } from './kubeconfig.ts'
export { createRbacAuthorizer, type RbacAuthorizer } from './rbac-authorizer.ts'
export { createTokenIssuer } from './tokens.ts'
