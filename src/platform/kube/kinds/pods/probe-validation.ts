/** Validates probes and lifecycle hooks. */
import type { Container, Lifecycle, LifecycleHandler, Probe } from 'kubernetes-types/core/v1.d.ts'
import { type FieldError, forbiddenField, invalid, notSupported, required } from '#platform/kube/meta'
import { validatePort, validatePortOrName } from '../validation/network-values.ts'
import { validateNonnegative } from '../validation/number-validation.ts'

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>

const HEADER_NAME = /^[-A-Za-z0-9]+$/
const HEADER_TEXT =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')"

const validateHttpGet = (httpGet: NonNullable<Probe['httpGet']>, field: string): FieldError[] => [
  ...((httpGet.path ?? '') === '' ? [required(`${field}.path`)] : []),
  ...validatePortOrName(httpGet.port, `${field}.port`),
  ...(httpGet.scheme === 'HTTP' || httpGet.scheme === 'HTTPS'
    ? []
    : [notSupported(`${field}.scheme`, httpGet.scheme ?? '', ['HTTP', 'HTTPS'])]),
  ...(httpGet.httpHeaders ?? [])
    .filter(({ name }) => !HEADER_NAME.test(name ?? ''))
    .map(({ name }) => invalid(`${field}.httpHeaders`, name ?? '', HEADER_TEXT)),
]

const validateSleep = (seconds: number, graceSeconds: number, field: string): FieldError[] =>
  seconds > 0 && seconds <= graceSeconds
    ? []
    : [
        invalid(
          field,
          seconds,
          `must be greater than 0 and less than terminationGracePeriodSeconds (${graceSeconds}). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep.`,
        ),
      ]

const validateHandler = (handler: Handler, graceSeconds: number, field: string): FieldError[] => {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler
  const checks: [string, unknown, () => FieldError[]][] = [
    ['exec', exec, () => (exec?.command?.length ? [] : [required(`${field}.exec.command`)])],
    ['httpGet', httpGet, () => validateHttpGet(httpGet!, `${field}.httpGet`)],
    ['tcpSocket', tcpSocket, () => validatePortOrName(tcpSocket!.port, `${field}.tcpSocket.port`)],
    ['grpc', grpc, () => validatePort(grpc!.port, `${field}.grpc.port`)],
    ['sleep', sleep, () => validateSleep(sleep!.seconds ?? 0, graceSeconds, `${field}.sleep`)],
  ]
  const specified = checks.filter(([, action]) => action !== undefined)
  if (specified.length === 0) return [required(field, 'must specify a handler type')]
  return specified.flatMap(([name, , check], index) =>
    index === 0 ? check() : [forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type')],
  )
}

const validateProbe = (probe: Probe, graceSeconds: number, field: string): FieldError[] => {
  const grace = probe.terminationGracePeriodSeconds
  return [
    ...validateHandler(probe, graceSeconds, field),
    ...validateNonnegative(probe.initialDelaySeconds, `${field}.initialDelaySeconds`),
    ...validateNonnegative(probe.timeoutSeconds, `${field}.timeoutSeconds`),
    ...validateNonnegative(probe.periodSeconds, `${field}.periodSeconds`),
    ...validateNonnegative(probe.successThreshold, `${field}.successThreshold`),
    ...validateNonnegative(probe.failureThreshold, `${field}.failureThreshold`),
    ...(grace !== undefined && grace <= 0
      ? [invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0')]
      : []),
  ]
}

const validateSuccessThreshold = (probe: Probe, field: string): FieldError[] =>
  probe.successThreshold === 1
    ? []
    : [invalid(`${field}.successThreshold`, probe.successThreshold ?? 0, 'must be 1')]

const validateLifecycle = (
  { postStart, preStop }: Lifecycle,
  graceSeconds: number,
  field: string,
): FieldError[] => [
  ...(postStart === undefined ? [] : validateHandler(postStart, graceSeconds, `${field}.postStart`)),
  ...(preStop === undefined ? [] : validateHandler(preStop, graceSeconds, `${field}.preStop`)),
]

/** Validates the probes and lifecycle hooks of a container. */
export const validateProbes = (container: Container, graceSeconds: number, field: string): FieldError[] => {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container
  const errors: FieldError[] = []
  if (lifecycle !== undefined)
    errors.push(...validateLifecycle(lifecycle, graceSeconds, `${field}.lifecycle`))
  if (livenessProbe !== undefined) {
    errors.push(...validateProbe(livenessProbe, graceSeconds, `${field}.livenessProbe`))
    errors.push(...validateSuccessThreshold(livenessProbe, `${field}.livenessProbe`))
  }
  if (readinessProbe !== undefined) {
    const path = `${field}.readinessProbe`
    const grace = readinessProbe.terminationGracePeriodSeconds
    errors.push(...validateProbe(readinessProbe, graceSeconds, path))
    if (grace !== undefined) {
      errors.push(
        invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'),
      )
    }
  }
  if (startupProbe !== undefined) {
    errors.push(...validateProbe(startupProbe, graceSeconds, `${field}.startupProbe`))
    errors.push(...validateSuccessThreshold(startupProbe, `${field}.startupProbe`))
  }
  return errors
}
