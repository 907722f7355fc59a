/** The identity of a record: `namespace/pod`, with `/container` where a container was chosen. */

export interface RecordParts {
  namespace: string
  pod: string
  /** Empty where the record is a pod. */
  container: string
}

export const splitRecordId = (id: string): RecordParts => {
  const [namespace = '', pod = '', container = ''] = id.split('/')
  return { namespace, pod, container }
}

export const toRecordId = ({ namespace, pod, container }: RecordParts): string =>
  container === '' ? `${namespace}/${pod}` : `${namespace}/${pod}/${container}`
