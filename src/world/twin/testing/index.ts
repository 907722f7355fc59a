/** The contracts of the service protocols. */
export * from './describe-grpc.ts'
export * from './describe-http.ts'
export * from './describe-thrift.ts'
export * from './service-subject.ts'
