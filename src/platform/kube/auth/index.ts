/** Authentication and authorisation: certificates, tokens, RBAC and the bootstrap policy. */
export { createAuthenticator } from './authenticator.ts'
export { bootstrapCluster } from './bootstrap/bootstrap-cluster.ts'
export { createCertificateAuthority } from './certificates/certificate-authority.ts'
export { kubeconfigOf } from './kubeconfig-of.ts'
export { createEscalationCheck } from './rbac/escalation-check.ts'
export { createRbacAuthorizer, type RbacAuthorizer } from './rbac/rbac-authorizer.ts'
export { serviceAccountUser } from './service-account-user.ts'
export { createTokenIssuer } from './tokens/token-issuer.ts'
