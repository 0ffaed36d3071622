// SPDX-License-Identifier: MIT

/** Mocks of an account's answers, with distinct names and ARNs. */

const region = "eu-west-1";
const account = "123456789012";
const arn = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;

type Inputs = Record<string, unknown>;

/** Answers the look-ups of a program, by Pulumi's token of the look-up. */
export function answerCall({ token, inputs }: { token: string; inputs: Inputs }): Inputs {
  switch (token) {
    case "aws:index/getRegion:getRegion":
      return { region };
    case "aws:index/getCallerIdentity:getCallerIdentity":
      return { accountId: account };
    case "aws:index/getPartition:getPartition":
      return { partition: "aws" };
    case "aws:iam/getPolicyDocument:getPolicyDocument":
      return { ...inputs, json: JSON.stringify(inputs.statements) };
    default:
      // Pulumi drops the message of an error thrown here.
      console.error(`the program looks up ${token}, which has no answer in ${import.meta.filename}`);
      throw new Error(token);
  }
}

/** The value of a random password. */
export const secretOf = (name: string) => `secret of ${name}`.padEnd(43, ".");

/** The state that a resource gets when it is created. */
export function stateOf(type: string, name: string, inputs: Inputs): Inputs {
  switch (type) {
    case "aws:dynamodb/table:Table":
      return { ...inputs, arn: arn("dynamodb", `table/${inputs.name}`) };
    case "aws:s3/bucket:Bucket":
      return {
        ...inputs,
        arn: `arn:aws:s3:::${inputs.bucket}`,
        bucketRegionalDomainName: `${inputs.bucket}.s3.${region}.amazonaws.com`,
      };
    case "aws:cloudfront/distribution:Distribution":
      return { ...inputs, domainName: `${name}.cloudfront.net` };
    case "aws:cloudwatch/logGroup:LogGroup":
      return { ...inputs, arn: arn("logs", `log-group:${inputs.name}`) };
    case "aws:lambda/function:Function":
      return { ...inputs, arn: arn("lambda", `function:${inputs.name}`), version: "7" };
    case "aws:lambda/alias:Alias":
      return { ...inputs, arn: arn("lambda", `function:${inputs.functionName}:${inputs.name}`) };
    case "random:index/randomPassword:RandomPassword":
      return { ...inputs, result: secretOf(name) };
    case "aws:apigatewayv2/api:Api":
      return {
        ...inputs,
        apiEndpoint: `https://${name}.execute-api.${region}.amazonaws.com`,
        executionArn: arn("execute-api", name),
      };
    case "aws:apigatewayv2/domainName:DomainName":
      return { ...inputs, domainNameConfiguration: { targetDomainName: `${name}.target`, hostedZoneId: "zone" } };
    case "aws:acm/certificate:Certificate":
      return { ...inputs, arn: arn("acm", name), domainValidationOptions: [] };
    case "random:index/randomBytes:RandomBytes":
      return { ...inputs, base64: Buffer.alloc(32, 7).toString("base64") };
    case "pulumi-nodejs:dynamic:Resource":
      return { ...inputs, zoneId: "zone" };
    default:
      return { ...inputs, arn: arn("other", name) };
  }
}
