/** Validates addresses, CIDRs and ports, with the messages of kube-apiserver. */
import { isIP } from 'node:net'
import { type FieldError, invalid, nameProblems, notSupported, required } from '#platform/kube/meta'

const PORT_RANGE = 'must be between 1 and 65535, inclusive'

const isPort = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65535

export const validatePort = (value: number | undefined, field: string): FieldError[] =>
  isPort(value) ? [] : [invalid(field, value ?? 0, PORT_RANGE)]

const PROTOCOLS = ['SCTP', 'TCP', 'UDP']

export const validateProtocol = (protocol: string, field: string): FieldError[] => {
  if (protocol === '') return [required(field)]
  return PROTOCOLS.includes(protocol) ? [] : [notSupported(field, protocol, PROTOCOLS)]
}

/** Returns the messages about an invalid port name. */
export const portNameProblems = (name: string): string[] => [
  ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
  ...(/^[-a-z0-9]+$/.test(name)
    ? []
    : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
  ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
  ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
  ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
]

/** Validates a port number, or the name of a container port. */
export const validatePortOrName = (value: number | string | undefined, field: string): FieldError[] =>
  typeof value === 'string'
    ? portNameProblems(value).map((problem) => invalid(field, value, problem))
    : validatePort(value, field)

// Go rejects IPv6 zones.
export const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%')

export const validateAddress = (text: string, field: string): FieldError[] =>
  isAddress(text)
    ? []
    : [invalid(field, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')]

/** Addresses that cannot be endpoints: unspecified, loopback, link-local. */
const NON_ENDPOINTS: readonly [RegExp, string][] = [
  [/^(0\.0\.0\.0|::)$/, 'may not be unspecified'],
  [/^(127\.|::1$)/, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [/^(169\.254\.|fe[89ab][0-9a-f]:)/i, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [/^(224\.0\.0\.|ff02:)/i, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
]

export const validateEndpointAddress = (text: string, field: string): FieldError[] => {
  const malformed = validateAddress(text, field)
  if (malformed.length > 0) return malformed
  return NON_ENDPOINTS.filter(([pattern]) => pattern.test(text)).map(([, problem]) =>
    invalid(field, text, problem),
  )
}

export const isCidr = (text: string): boolean => {
  const [address = '', bits = '', ...rest] = text.split('/')
  const family = isIP(address)
  return (
    rest.length === 0 &&
    family !== 0 &&
    isAddress(address) &&
    /^\d{1,3}$/.test(bits) &&
    Number(bits) <= (family === 4 ? 32 : 128)
  )
}

export const validateCidr = (text: string, field: string): FieldError[] =>
  isCidr(text)
    ? []
    : [invalid(field, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')]

/** Returns the messages about an invalid wildcard host name. */
export const wildcardProblems = (host: string): string[] =>
  host.startsWith('*.') && nameProblems(host.slice(2), 'subdomain').length === 0 && host.length <= 253
    ? []
    : [
        `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ]
