/** Builds the content of kubeconfig files. */

export interface KubeconfigOptions {
  /** The URL of the API server, such as `https://127.0.0.1:6443`. */
  server: string
  /** The CA certificate, in PEM format. */
  ca: string
  user: { name: string; token: string } | { name: string; certificate: string; key: string }
  /** The default namespace of commands. */
  namespace?: string
  /** The name of the cluster; `remedium` by default. */
  cluster?: string
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Quotes text as a JSON string, which is valid YAML, unless it is a plain word that YAML reads as a string. */
const toScalar = (text: string): string =>
  /^[A-Za-z][\w.-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)

export const kubeconfigOf = ({
  server,
  ca,
  user,
  namespace,
  cluster = 'remedium',
}: KubeconfigOptions): string => {
  const context = toScalar(`${user.name}@${cluster}`)
  const credentials =
    'token' in user
      ? [`    token: ${toScalar(user.token)}`]
      : [
          `    client-certificate-data: ${base64(user.certificate)}`,
          `    client-key-data: ${base64(user.key)}`,
        ]
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `- name: ${toScalar(cluster)}`,
    '  cluster:',
    `    server: ${toScalar(server)}`,
    `    certificate-authority-data: ${base64(ca)}`,
    'users:',
    `- name: ${toScalar(user.name)}`,
    '  user:',
    ...credentials,
    'contexts:',
    `- name: ${context}`,
    '  context:',
    `    cluster: ${toScalar(cluster)}`,
    `    user: ${toScalar(user.name)}`,
    ...(namespace === undefined ? [] : [`    namespace: ${toScalar(namespace)}`]),
    `current-context: ${context}`,
    '',
  ].join('\n')
}
