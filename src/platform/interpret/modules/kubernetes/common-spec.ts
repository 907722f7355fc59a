/** Options that the Kubernetes modules share. */
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import type { ArgumentSpec } from '../argument-spec.ts'

export const AUTH_SPEC: ArgumentSpec = {
  kubeconfig: { type: 'raw' },
  context: {},
  host: {},
  api_key: {},
  username: {},
  password: {},
  validate_certs: { type: 'bool', aliases: ['verify_ssl'] },
  ca_cert: { type: 'path', aliases: ['ssl_ca_cert'] },
  client_cert: { type: 'path', aliases: ['cert_file'] },
  client_key: { type: 'path', aliases: ['key_file'] },
  proxy: {},
  no_proxy: {},
  proxy_headers: {
    type: 'dict',
    options: { proxy_basic_auth: {}, basic_auth: {}, user_agent: {} },
  },
  persist_config: { type: 'bool' },
  impersonate_user: {},
  impersonate_groups: { type: 'list', elements: 'str' },
}

export const WAIT_SPEC: ArgumentSpec = {
  wait: { type: 'bool', default: false },
  wait_sleep: { type: 'int', default: 5 },
  wait_timeout: { type: 'int', default: 120 },
  wait_condition: {
    type: 'dict',
    options: { type: {}, status: { default: true, choices: [true, false, 'Unknown'] }, reason: {} },
  },
}

export const NAME_SPEC: ArgumentSpec = {
  kind: {},
  name: {},
  namespace: {},
  api_version: { default: 'v1', aliases: ['api', 'version'] },
}

export const DEFINITION_SPEC: ArgumentSpec = {
  resource_definition: { type: 'definition', aliases: ['definition', 'inline'] },
  src: { type: 'path' },
}

export const DELETE_OPTIONS_SPEC: ArgumentSpec = {
  propagationPolicy: { choices: ['Foreground', 'Background', 'Orphan'] },
  gracePeriodSeconds: { type: 'int' },
  preconditions: { type: 'dict', options: { resourceVersion: {}, uid: {} } },
}

/** Paths at which the sandbox provides the kubeconfig of the agent. */
const KUBECONFIGS = new Set([
  '/input/kubeconfig',
  '/etc/rancher/k3s/k3s.yaml',
  '/etc/kubernetes/admin.conf',
  '~/.kube/config',
])

/** Other credentials or servers than those of the agent's kubeconfig cannot be modelled. */
export const checkAccess = (params: Readonly<Record<string, unknown>>): void => {
  for (const name of Object.keys(AUTH_SPEC)) {
    const value = params[name]
    if (value === null || value === undefined || name === 'validate_certs' || name === 'persist_config')
      continue
    if (name === 'kubeconfig' && KUBECONFIGS.has(String(value))) continue
    throw new UnsupportedPlaybook(`the option ${name} of a Kubernetes module`)
  }
}
