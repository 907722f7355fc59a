/** The message of a failed forwarded connection, as the kubelet and containerd report it. */

export interface PodSandbox {
  /** The sandbox ID, by which messages name the pod. */
  readonly sandbox: string
  /** The path of the network namespace. */
  readonly networkNamespace: string
}

/** Words socket errors of Node as containerd does; keeps the message of other errors. */
const reasonOf = (error: NodeJS.ErrnoException, port: number, pod: PodSandbox): string => {
  const within = `failed to execute portforward in network namespace "${pod.networkNamespace}"`
  if (error.code === 'ECONNREFUSED') {
    const refused = 'connect: connection refused'
    return `${within}: failed to connect to localhost:${port} inside namespace "${pod.sandbox}", IPv4: dial tcp4 127.0.0.1:${port}: ${refused} IPv6 dial tcp6 [::1]:${port}: ${refused} `
  }
  if (error.code === 'ECONNRESET') return `${within}: read: connection reset by peer`
  return error.message
}

export const portForwardFailure = (error: Error, port: number, pod: PodSandbox): string =>
  `error forwarding port ${port} to pod ${pod.sandbox}, uid : ${reasonOf(error, port, pod)}`
