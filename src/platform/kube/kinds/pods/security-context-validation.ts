/** Validates the security contexts of pods and containers. */
import type { PodSpec, SeccompProfile, SecurityContext } from 'kubernetes-types/core/v1.d.ts'
import { duplicate, type FieldError, invalid, notSupported, required } from '#platform/kube/meta'
import { goStruct } from '../validation/go-text.ts'
import { validateDescendingPath } from '../validation/path-validation.ts'

const MAX_ID = 2 ** 31 - 1
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/
const SYSCTL_TEXT =
  'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'

const validateId = (id: number | undefined, field: string): FieldError[] =>
  id === undefined || (id >= 0 && id <= MAX_ID)
    ? []
    : [invalid(field, id, `must be between 0 and ${MAX_ID}, inclusive`)]

const validateSeccomp = (profile: SeccompProfile | undefined, field: string): FieldError[] => {
  if (profile === undefined) return []
  const { type = '', localhostProfile } = profile
  const known = ['Localhost', 'RuntimeDefault', 'Unconfined']
  const errors: FieldError[] = []
  if (type === '') errors.push(required(`${field}.type`, 'type is required when seccompProfile is set'))
  else if (!known.includes(type)) errors.push(notSupported(`${field}.type`, type, known))
  const path = `${field}.localhostProfile`
  if (type !== 'Localhost') {
    if (localhostProfile !== undefined)
      errors.push(
        invalid(
          path,
          goStruct('core.SeccompProfile', profile),
          'can only be set when seccomp type is Localhost',
        ),
      )
  } else if (localhostProfile === undefined)
    errors.push(required(path, 'must be set when seccomp type is Localhost'))
  else errors.push(...validateDescendingPath(localhostProfile, path))
  return errors
}

const validateSysctls = (spec: PodSpec, field: string): FieldError[] => {
  const seen = new Set<string>()
  return (spec.securityContext?.sysctls ?? []).flatMap(({ name = '' }, index) => {
    const path = `${field}.sysctls[${index}].name`
    const errors: FieldError[] = []
    if (name === '') errors.push(required(path))
    else if (name.length > 253 || !SYSCTL.test(name)) errors.push(invalid(path, name, SYSCTL_TEXT))
    else if (seen.has(name)) errors.push(duplicate(path, name))
    if (spec.hostNetwork === true && name.startsWith('net.'))
      errors.push(invalid(path, name, "may not be specified when 'hostNetwork' is true"))
    seen.add(name)
    return errors
  })
}

export const validatePodSecurity = (spec: PodSpec, field: string): FieldError[] => {
  const context = spec.securityContext ?? {}
  const policy = context.fsGroupChangePolicy
  return [
    ...validateId(context.fsGroup, `${field}.fsGroup`),
    ...validateId(context.runAsUser, `${field}.runAsUser`),
    ...validateId(context.runAsGroup, `${field}.runAsGroup`),
    ...(context.supplementalGroups ?? []).flatMap((group, index) =>
      validateId(group, `${field}.supplementalGroups[${index}]`),
    ),
    ...(spec.shareProcessNamespace === true && spec.hostPID === true
      ? [
          invalid(
            `${field}.shareProcessNamespace`,
            true,
            'ShareProcessNamespace and HostPID cannot both be enabled',
          ),
        ]
      : []),
    ...validateSysctls(spec, field),
    ...(policy === undefined || policy === 'OnRootMismatch' || policy === 'Always'
      ? []
      : [notSupported(`${field}.fsGroupChangePolicy`, policy, ['Always', 'OnRootMismatch'])]),
    ...validateSeccomp(context.seccompProfile, `${field}.seccompProfile`),
  ]
}

export const validateContainerSecurity = (
  context: SecurityContext | undefined,
  field: string,
): FieldError[] => {
  if (context === undefined) return []
  const errors = [
    ...validateId(context.runAsUser, `${field}.runAsUser`),
    ...validateId(context.runAsGroup, `${field}.runAsGroup`),
    ...validateSeccomp(context.seccompProfile, `${field}.seccompProfile`),
  ]
  if (context.allowPrivilegeEscalation === false) {
    const reject = (detail: string): void => {
      errors.push(
        invalid(
          field,
          goStruct('core.SecurityContext', context),
          `cannot set \`allowPrivilegeEscalation\` to false and ${detail}`,
        ),
      )
    }
    if (context.privileged === true) reject('`privileged` to true')
    if (context.capabilities?.add?.includes('CAP_SYS_ADMIN')) reject('`capabilities.Add` CAP_SYS_ADMIN')
  }
  return errors
}
