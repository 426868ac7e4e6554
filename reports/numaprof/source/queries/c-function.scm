(function_definition) @function
