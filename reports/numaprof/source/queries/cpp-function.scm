(lambda_expression) @function
